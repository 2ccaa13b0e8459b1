// C++ with pointers of 32 bits: what the compiler calls for new, delete, casts and exceptions. No header is needed.
//
// -DMISMATCH: an array is deleted as an object
extern "C" void __assert_fail(const char *what, const char *file, unsigned line, const char *function) noexcept;
#define CHECK(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __func__))

static int ended;

struct base {
	virtual ~base() { ended++; }
	int a = 1;
};
struct other {
	virtual ~other() {}
	long long b = 2;
};
struct both : base, other {
	int c = 3;
};
struct diamond_left : virtual base {
	int l = 4;
};
struct diamond_right : virtual base {
	int r = 5;
};
struct diamond : diamond_left, diamond_right {};

int main()
{
	static_assert(sizeof(void *) == 4, "compile with -m32");
	int *p = new int[3];
#ifdef MISMATCH
	delete p;
#else
	delete[] p;
#endif
	base *s = new both;
	other *o = dynamic_cast<other *>(s);
	CHECK(o && o->b == 2 && dynamic_cast<both *>(o)->c == 3 && !dynamic_cast<diamond *>(s));
	delete s;
	base *d = new diamond;
	CHECK(dynamic_cast<diamond_right *>(d)->r == 5);
	delete d;
	CHECK(ended == 2);
	try {
		throw both();
	} catch (other &e) {
		CHECK(e.b == 2);
	}
}
