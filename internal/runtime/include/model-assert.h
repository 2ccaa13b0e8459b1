// model-assert.h: the assertions of programs written for CDSChecker.
#ifndef RAVEL_MODEL_ASSERT_H
#define RAVEL_MODEL_ASSERT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

void model_assert(int condition, const char *file, int line);

#ifdef __cplusplus
}
#endif

#define MODEL_ASSERT(condition) model_assert(!!(condition), __FILE__, __LINE__)
#endif
