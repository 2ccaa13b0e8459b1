// Labels as values: the addresses of blocks, and how far they are from each other.
#include <assert.h>

static int run(const unsigned char *code)
{
	static const void *const ops[] = {&&add, &&twice, &&stop};
	int a = 1;
#define NEXT goto *ops[*code++]
	NEXT;
add:
	a += 3;
	NEXT;
twice:
	a *= 2;
	NEXT;
stop:
	return a;
}

static int offset(int k)
{
	static const int distance[] = {&&x - &&x, &&y - &&x};
	goto *(&&x + distance[k]);
x:
	return 10;
y:
	return 20;
}

int main(void)
{
	const unsigned char code[] = {0, 1, 1, 0, 2};
	assert(run(code) == 19); // ((1 + 3) · 2) · 2 + 3
	assert(offset(0) == 10 && offset(1) == 20);
	return 0;
}
