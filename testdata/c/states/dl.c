// Dependent loads (thesis, appendix B.4), in the form of procedures.
#include <assert.h>

int y;
int *p;

int llmc_init() { y = 1234; p = &y; return 0; }
int llmc_proc0() { assert(*p == y); return 0; }
