// want: call unlock of a mutex that is not locked
#include <mutex>
int main()
{
	std::mutex m;
	m.unlock();
}
