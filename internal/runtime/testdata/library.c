// want: verified 1
// flags: -D_GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
int main(void)
{
	char *s;
	assert(asprintf(&s, "%d-%s", 42, "abc") == 6 && strcmp(s, "42-abc") == 0);
	free(s);
	div_t d = div(7, 2);
	assert(d.quot == 3 && d.rem == 1 && ldiv(-7, 2).rem == -1 && ffs(8) == 4);
	double whole;
	assert(modf(2.5, &whole) == 0.5 && whole == 2 && lround(-2.5) == -3);
	cpu_set_t set;
	sched_getaffinity(0, sizeof set, &set);
	assert(CPU_COUNT(&set) >= 1);
	time_t now = time(NULL);
	assert(localtime(&now) != NULL && difftime(now, now) == 0);
	return 0;
}
