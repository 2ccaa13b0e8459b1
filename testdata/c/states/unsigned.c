// A number that is not negative, whatever its first bit is; as an int it would be.
unsigned x = 1;
int y = 1;

int llmc_proc0(void)
{
	x = 3000000000u;
	y = -5;
	return 0;
}
