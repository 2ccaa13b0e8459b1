/* Bytes, tabs and wide characters. */
int größe, 数量;
void *f(void *p) { größe++; return 0; }
void *g(void *p) {	/* 漢字 */	数量 = größe;	return 0; }
