// In a program of 32 bits, the second pointer of a node is 4 bytes behind the first; the third is behind the end.
typedef unsigned int size_t;
extern void *malloc(size_t);
extern void free(void *);

int main(void)
{
	void **node = malloc(2 * sizeof *node);
	volatile int i = 1;
	node[i] = node;
	node[i + 1] = 0;
	free(node);
}
