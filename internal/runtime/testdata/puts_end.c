// A string without an end.
// want: memory
#include <stdio.h>
static char text[3] = {'a', 'b', 'c'};
int main(void) { puts(text); }
