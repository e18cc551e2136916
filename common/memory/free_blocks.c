#include "common/memory/free_blocks.h"

/*
 * A treap: ordered by address from left to right and by priority from top to bottom. No block is
 * empty, and no two blocks are adjacent.
 */
typedef struct hy_free_block block;

static bool has(const block *tree, size_t size)
{
    return tree && tree->largest >= size;
}

static void update(struct hy_free_blocks *blocks, block *tree)
{
    blocks->visits++;
    tree->largest = tree->end - tree->begin;
    if (tree->left && tree->left->largest > tree->largest)
        tree->largest = tree->left->largest;
    if (tree->right && tree->right->largest > tree->largest)
        tree->largest = tree->right->largest;
}

/* Pseudo-random and reproducible. */
static uint32_t priority_of(uint32_t index)
{
    uint32_t x = index * 2654435769u;

    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

static block *make(struct hy_free_blocks *blocks, size_t begin, size_t end)
{
    block *made = blocks->unused++;

    *made = (block){.begin = begin,
                    .end = end,
                    .largest = end - begin,
                    .priority = priority_of(blocks->made++)};
    return made;
}

static block *join(struct hy_free_blocks *blocks, block *low, block *high)
{
    if (!low || !high)
        return low ? low : high;
    block *top = low->priority >= high->priority ? low : high;
    if (top == low)
        low->right = join(blocks, low->right, high);
    else
        high->left = join(blocks, low, high->left);
    update(blocks, top);
    return top;
}

/* Splits the tree into blocks that begin below `address` and the other blocks. */
static void split(struct hy_free_blocks *blocks, block *tree, size_t address, block **low,
                  block **high)
{
    if (!tree) {
        *low = *high = NULL;
        return;
    }
    if (tree->begin < address) {
        split(blocks, tree->right, address, &tree->right, high);
        *low = tree;
    } else {
        split(blocks, tree->left, address, low, &tree->left);
        *high = tree;
    }
    update(blocks, tree);
}

static void insert(struct hy_free_blocks *blocks, block **tree, block *added)
{
    block *top = *tree;

    if (!top || top->priority < added->priority) {
        split(blocks, top, added->begin, &added->left, &added->right);
        *tree = top = added;
    } else {
        insert(blocks, added->begin < top->begin ? &top->left : &top->right, added);
    }
    update(blocks, top);
}

/* Changes a block in place. An empty block leaves the tree. */
static void resize(struct hy_free_blocks *blocks, block **tree, const block *changed, size_t begin,
                   size_t end)
{
    block *top = *tree;

    if (top != changed) {
        /* The tree holds `changed`. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        resize(blocks, changed->begin < top->begin ? &top->left : &top->right, changed, begin, end);
    } else if (begin == end) {
        *tree = join(blocks, top->left, top->right);
        return;
    } else {
        top->begin = begin;
        top->end = end;
    }
    update(blocks, top);
}

static block *find_lowest(block *tree, size_t size)
{
    while (has(tree->left, size) || tree->end - tree->begin < size)
        tree = has(tree->left, size) ? tree->left : tree->right;
    return tree;
}

static block *find_highest(block *tree, size_t size)
{
    while (has(tree->right, size) || tree->end - tree->begin < size)
        tree = has(tree->right, size) ? tree->right : tree->left;
    return tree;
}

void hy_free_blocks_init(struct hy_free_blocks *blocks, struct hy_free_block *memory, size_t limit)
{
    *blocks = (struct hy_free_blocks){.unused = memory, .limit = limit};
    if (limit > 0)
        blocks->root = make(blocks, 0, limit);
}

/* Allocates at the end of the range and moves the limit. */
static size_t alloc_beyond(struct hy_free_blocks *blocks, size_t size)
{
    block *last = blocks->root;
    size_t begin = blocks->limit;

    while (last && last->right)
        last = last->right;
    if (last && last->end == blocks->limit) {
        begin = last->begin;
        resize(blocks, &blocks->root, last, begin, begin);
    }
    blocks->limit = begin + size;
    return begin;
}

size_t hy_free_blocks_alloc(struct hy_free_blocks *blocks, size_t size, bool from_top)
{
    if (!has(blocks->root, size))
        return alloc_beyond(blocks, size);
    block *found = from_top ? find_highest(blocks->root, size) : find_lowest(blocks->root, size);
    size_t begin = from_top ? found->end - size : found->begin;
    if (from_top)
        resize(blocks, &blocks->root, found, found->begin, begin);
    else
        resize(blocks, &blocks->root, found, begin + size, found->end);
    return begin;
}

void hy_free_blocks_give(struct hy_free_blocks *blocks, size_t begin, size_t size)
{
    block *below = NULL, *above = NULL;
    size_t end = begin + size;

    for (block *at = blocks->root; at; at = at->begin < begin ? at->right : at->left)
        *(at->begin < begin ? &below : &above) = at;
    bool touches_below = below && below->end == begin, touches_above = above && above->begin == end;
    if (touches_above) {
        end = above->end;
        if (touches_below)
            resize(blocks, &blocks->root, above, end, end);
        else
            resize(blocks, &blocks->root, above, begin, end);
    }
    if (touches_below)
        resize(blocks, &blocks->root, below, below->begin, end);
    else if (!touches_above)
        insert(blocks, &blocks->root, make(blocks, begin, end));
}
