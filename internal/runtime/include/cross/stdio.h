#ifndef RAVEL_STDIO_H
#define RAVEL_STDIO_H
#include <stddef.h>
typedef struct FILE FILE;
extern FILE *stdout, *stderr;
int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int snprintf(char *, size_t, const char *, ...);
int puts(const char *);
#endif
