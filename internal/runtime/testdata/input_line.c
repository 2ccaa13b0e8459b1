// fgets returns a line, or none.
// want: verified
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
	char line[8] = "before";
	char *s = fgets(line, sizeof line, stdin);
	assert(s ? s == line && strlen(line) < 8 && strlen(line) > 0 : !strcmp(line, "before"));
}
