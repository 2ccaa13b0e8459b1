// new and delete, a virtual destructor, and a unique_ptr moved into a thread.
#include <cassert>
#include <memory>
#include <thread>
#include <utility>

static int alive;

struct Shape {
	Shape() { alive++; }
	virtual ~Shape() { alive--; }
	virtual int corners() const = 0;
};

struct Square : Shape {
	int corners() const override { return 4; }
};

struct Triangle : Shape {
	int corners() const override { return 3; }
};

int main()
{
	std::unique_ptr<Shape> s(new Square);
	Shape *t = new Triangle;

	std::thread worker([p = std::move(s)] { assert(p->corners() == 4); });
	worker.join();
	assert(!s && t->corners() == 3);
	delete t;
	int *array = new int[3]{1, 2, 3};
	assert(array[0] + array[1] + array[2] == 6);
	delete[] array;
	assert(alive == 0);
}
