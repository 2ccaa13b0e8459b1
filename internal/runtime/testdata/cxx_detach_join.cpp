// Nobody catches it.
// want: call invalid argument
#include <thread>
int main()
{
	std::thread t([] {});
	t.detach();
	t.join();
}
