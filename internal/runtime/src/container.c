// The parts of C++'s containers that are not in the headers: std::list, std::map and std::set,
// std::unordered_map and std::unordered_set.
#include "rt.h"

typedef struct node {
	struct node *next, *prev;
} node;

void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(node *self, node *at)
{
	self->next = at;
	self->prev = at->prev;
	at->prev->next = self;
	at->prev = self;
}

void _ZNSt8__detail15_List_node_base9_M_unhookEv(node *self)
{
	node *next = self->next, *prev = self->prev;
	prev->next = next;
	next->prev = prev;
}

void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(node *self, node *first, node *last)
{
	if (self == last)
		return;
	node *end = last->prev, *before = first->prev, *prev = self->prev;
	end->next = self;
	before->next = last;
	prev->next = first;
	self->prev = end;
	last->prev = before;
	first->prev = prev;
}

void _ZNSt8__detail15_List_node_base10_M_reverseEv(node *self)
{
	node *n = self;
	do {
		node *next = n->next;
		n->next = n->prev;
		n->prev = next;
		n = next;
	} while (n != self);
}

// adopt gives the list of one head to another, which has an empty one.
static void adopt(node *to, node *from)
{
	to->next = from->next;
	to->prev = from->prev;
	to->next->prev = to->prev->next = to;
	from->next = from->prev = from;
}

void _ZNSt8__detail15_List_node_base4swapERS0_S1_(node *x, node *y)
{
	if (x->next == x) {
		if (y->next != y)
			adopt(x, y);
		return;
	}
	if (y->next == y) {
		adopt(y, x);
		return;
	}
	node *next = x->next, *prev = x->prev;
	x->next = y->next;
	x->prev = y->prev;
	y->next = next;
	y->prev = prev;
	x->next->prev = x->prev->next = x;
	y->next->prev = y->prev->next = y;
}

// A tree of std::map, which nothing ever balances: the trees of programs under test are small,
// and so are fewer events. The header's parent is the root, its left and right are the first
// and the last node; only the header is red, which tells it from the root.
typedef struct tree {
	u32 black;
	struct tree *parent, *left, *right;
} tree;

tree *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(tree *x)
{
	tree *y = x->right;
	if (y) {
		for (tree *l; (l = y->left);)
			y = l;
		return y;
	}
	for (y = x->parent; x == y->right; y = y->parent)
		x = y;
	return x->right != y ? y : x;
}

tree *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(tree *x)
{
	if (!x->black && x->parent->parent == x)
		return x->right; // x is the header
	tree *y = x->left;
	if (y) {
		for (tree *r; (r = y->right);)
			y = r;
		return y;
	}
	for (y = x->parent; x == y->left; y = y->parent)
		x = y;
	return y;
}

tree *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(tree *x) { return _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(x); }
tree *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(tree *x) { return _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(x); }

void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(_Bool left, tree *x, tree *p, tree *header)
{
	x->parent = p;
	x->left = x->right = NULL;
	x->black = 1;
	if (left) {
		p->left = x; // the header's too: the first node
		if (p == header) {
			header->parent = x;
			header->right = x;
		} else if (p == header->left) {
			header->left = x;
		}
	} else {
		p->right = x;
		if (p == header->right)
			header->right = x;
	}
}

// replace puts y, which may be null, where x is in the tree.
static void replace(tree *x, tree *y, tree *header)
{
	tree *p = x->parent;
	if (header->parent == x)
		header->parent = y;
	else if (p->left == x)
		p->left = y;
	else
		p->right = y;
	if (y)
		y->parent = p;
}

tree *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(tree *x, tree *header)
{
	if (header->left == x)
		header->left = _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(x);
	if (header->right == x)
		header->right = _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(x);
	if (!x->left) {
		replace(x, x->right, header);
	} else if (!x->right) {
		replace(x, x->left, header);
	} else {
		tree *y = x->right; // the next node takes x's place
		for (tree *l; (l = y->left);)
			y = l;
		if (y != x->right) {
			replace(y, y->right, header);
			y->right = x->right;
			y->right->parent = y;
		}
		replace(x, y, header);
		y->left = x->left;
		y->left->parent = y;
	}
	return x;
}

// Hash tables grow to odd sizes: nothing needs primes.
typedef struct {
	float max_load;
	size_t next_resize;
} rehash_policy;

typedef struct {
	_Bool yes;
	size_t buckets;
} rehash;

size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(rehash_policy *p, size_t n)
{
	n |= 1;
	p->next_resize = (size_t)((float)n * p->max_load);
	return n;
}

rehash _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(rehash_policy *p, size_t buckets, size_t elements, size_t more)
{
	size_t n = elements + more, limit = p->next_resize;
	if (n <= limit)
		return (rehash){0, 0};
	if (limit == 0 && n < 11)
		n = 11;
	size_t least = (size_t)((float)n / p->max_load);
	if (least < buckets) {
		p->next_resize = (size_t)((float)buckets * p->max_load);
		return (rehash){0, 0};
	}
	least = least + 1 > buckets * 2 ? least + 1 : buckets * 2;
	return (rehash){1, _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(p, least)};
}

size_t _ZSt11_Hash_bytesPKvmm(const u8 *p, size_t n, size_t seed)
{
	size_t h = seed ^ 0xcbf29ce484222325;
	for (; n; p++, n--)
		h = (h ^ *p) * 0x100000001b3;
	return h;
}
