// Global objects, static variables of functions and thread_local variables of main are destroyed at exit, in the
// opposite order of their construction; main's thread_local ones come first.
#include <cassert>

static int alive;

struct counted {
	int id;
	explicit counted(int id) : id(id)
	{
		++alive;
	}
	~counted()
	{
		assert(id == alive);
		--alive;
#ifdef WRONG
		assert(alive != 0);
#endif
	}
};

static counted one(1);
static thread_local counted three(3);

static int local()
{
	static counted two(2);
	return two.id;
}

int main()
{
	assert(local() == 2);
	assert(three.id == 3);
	return 0;
}
