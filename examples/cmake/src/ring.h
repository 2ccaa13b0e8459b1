/* A ring buffer for one producer and one consumer. */
#ifndef RING_H
#define RING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

bool ring_push(int value); /* false if the ring is full */
bool ring_pop(int *value); /* false if it is empty */

#ifdef __cplusplus
}
#endif

#endif
