// Printing a string reads it.
// want: race
#include <pthread.h>
#include <stdio.h>
static char text[4] = "abc";
static void *f(void *arg)
{
	text[0] = 'b';
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	printf("%s\n", text);
	pthread_join(t, 0);
}
