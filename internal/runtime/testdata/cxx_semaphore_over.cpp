// want: call beyond the semaphore's maximum
// flags: -std=c++20
#include <semaphore>
int main()
{
	std::binary_semaphore s(1);
	s.release();
}
