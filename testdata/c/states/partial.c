/*
 * A copy in words of an object of which only some bytes were written, as compilers make it of the copy of a struct or of a short string.
 * C allows that: what was not written has some value. With -DUSED the program uses it, and that is a mistake.
 */
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    unsigned char *p = malloc(8);

    p[0] = 'a';
    p[1] = 0;
    uint64_t word = *(volatile uint64_t *)p;
    free(p);
#ifdef USED
    return word >> 56 == 3;
#else
    return (int)(word & 0xff) - 'a';
#endif
}
