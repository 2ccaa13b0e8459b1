// Memory must be freed by what belongs to the function that allocated it ([new.delete], [basic.stc.dynamic.deallocation]).
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct alignas(64) Line { int v[16]; };
struct Base { int b = 1; };
struct Derived : Base { int d[4] = {}; };
struct Polymorphic { virtual ~Polymorphic() {} int b = 1; };
struct Large : Polymorphic { int d[9] = {}; };

#if defined ARRAY_DELETE
int main() { int *p = new int[3]; delete p; }
#elif defined DELETE_ARRAY
int main() { int *p = new int; delete[] p; }
#elif defined NEW_FREE
int main() { int *p = new int; std::free(p); }
#elif defined ARRAY_FREE
int main() { int *p = new int[2]; std::free(p); }
#elif defined MALLOC_DELETE
int main() { void *p = std::malloc(4); ::operator delete(p); }
#elif defined STRDUP_DELETE
int main() { char *p = strdup("x"); delete[] p; }
#elif defined REALLOC
int main() { char *p = new char[4]; p = (char *)std::realloc(p, 8); std::free(p); }
#elif defined NOTHROW_FREE
int main() { int *p = new (std::nothrow) int; std::free(p); }
#elif defined SIZED
int main() { void *p = ::operator new(8); ::operator delete(p, 4); }
#elif defined ALIGNED
int main() { void *p = ::operator new(64, std::align_val_t(64)); ::operator delete(p); }
#elif defined SHARED // shared_ptr of an array with the wrong deleter
int main() { std::shared_ptr<int> p(new int[2]); }
#elif defined THREADS // another thread frees it
int main() { int *p = new int[2]; std::thread([p] { delete p; }).join(); }
#elif defined BASE_SIZED // the size of the base class is passed
int main() { Base *p = new Derived; delete p; }
#elif defined MATCH_OK
int main()
{
	delete new int;
	delete[] new int[3];
	delete new (std::nothrow) int;
	delete new Line;
	delete[] new Line[2];
	Polymorphic *p = new Large;
	delete p;
	std::free(std::malloc(3));
	std::free(std::realloc(std::calloc(2, 2), 9));
	std::free(std::aligned_alloc(64, 64));
	::operator delete(::operator new(8), 8);
	std::vector<std::string> v{"a text that does not fit into the object", "b"};
	v.push_back("c");
	std::map<int, int> m{{1, 2}, {3, 4}};
	std::ostringstream s;
	s << "a stream whose text does not fit into a string " << m[3];
	std::string t = s.str();
	std::thread([] {}).join();
	auto q = std::make_shared<Large>();
	std::exception *e = new std::runtime_error("e");
	delete e;
	int *none = nullptr;
	delete none;
	delete[] none;
	std::free(none);
}
#elif defined REPLACED_OK // the program's own functions may use malloc
void *operator new(std::size_t n) { return std::malloc(n); }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
int main() { delete new int; std::string s("a text that does not fit into the object"); }
#endif
