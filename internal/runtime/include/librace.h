// librace.h: the plain accesses of programs written for CDSChecker.
#ifndef RAVEL_LIBRACE_H
#define RAVEL_LIBRACE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void store_8(void *address, uint8_t value);
void store_16(void *address, uint16_t value);
void store_32(void *address, uint32_t value);
void store_64(void *address, uint64_t value);
uint8_t load_8(const void *address);
uint16_t load_16(const void *address);
uint32_t load_32(const void *address);
uint64_t load_64(const void *address);

#ifdef __cplusplus
}
#endif
#endif
