/*
 * A copy in words of an object of which only some bytes were written, as compilers make it of the copy of a struct or of a short string.
 * C allows that: what was not written has some value. With -DNONE no byte of the word was written, and it is a mistake.
 */
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    unsigned char *p = malloc(8);

#ifndef NONE
    p[0] = 'a';
    p[1] = 0;
#endif
    uint64_t word = *(volatile uint64_t *)p;
    free(p);
    return (int)(word & 0);
}
