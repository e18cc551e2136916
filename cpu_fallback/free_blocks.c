#include "cpu_fallback/free_blocks.h"

/*
 * A treap: ordered by address from left to right, by priority from top to bottom. A block that was
 * taken whole stays as an empty one until what lies beside it is given back.
 */
typedef struct hy_cpu_free_block block;

static bool has(const block *tree, size_t size)
{
    return tree && tree->largest >= size;
}

static void update(struct hy_cpu_free_blocks *blocks, block *tree)
{
    blocks->visits++;
    tree->largest = tree->end - tree->begin;
    if (tree->left && tree->left->largest > tree->largest)
        tree->largest = tree->left->largest;
    if (tree->right && tree->right->largest > tree->largest)
        tree->largest = tree->right->largest;
}

/* Numbers without a pattern, the same in every run. */
static uint32_t priority_of(uint32_t index)
{
    uint32_t x = index * 2654435769u;

    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

static block *make(struct hy_cpu_free_blocks *blocks, size_t begin, size_t end)
{
    block *made = blocks->unused++;

    *made = (block){.begin = begin,
                    .end = end,
                    .largest = end - begin,
                    .priority = priority_of(blocks->made++)};
    return made;
}

static block *join(struct hy_cpu_free_blocks *blocks, block *low, block *high)
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

/* Parts the blocks that begin before `address` from the others. */
static void split(struct hy_cpu_free_blocks *blocks, block *tree, size_t address, block **low,
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

static size_t take_lowest(struct hy_cpu_free_blocks *blocks, block *tree, size_t size)
{
    size_t begin = tree->begin;

    if (has(tree->left, size))
        begin = take_lowest(blocks, tree->left, size);
    else if (tree->end - tree->begin >= size)
        tree->begin += size;
    else
        begin = take_lowest(blocks, tree->right, size);
    update(blocks, tree);
    return begin;
}

static size_t take_highest(struct hy_cpu_free_blocks *blocks, block *tree, size_t size)
{
    size_t begin;

    if (has(tree->right, size))
        begin = take_highest(blocks, tree->right, size);
    else if (tree->end - tree->begin >= size)
        begin = tree->end -= size;
    else
        begin = take_highest(blocks, tree->left, size);
    update(blocks, tree);
    return begin;
}

/* Takes the last block, if it reaches to `end`, and gives its beginning; else gives `end`. */
static size_t take_last(struct hy_cpu_free_blocks *blocks, block **tree, size_t end)
{
    block *top = *tree;

    if (!top)
        return end;
    if (top->right) {
        size_t begin = take_last(blocks, &top->right, end);
        update(blocks, top);
        return begin;
    }
    if (top->end < end)
        return end;
    *tree = top->left;
    return top->begin;
}

/* Takes the first blocks that begin no later than `end`, and gives where they end, or `end`. */
static size_t take_first(struct hy_cpu_free_blocks *blocks, block **tree, size_t end)
{
    block *low = *tree, *high;

    while (low && low->left)
        low = low->left;
    if (!low || low->begin > end)
        return end;
    split(blocks, *tree, end + 1, &low, &high);
    *tree = high;
    while (low) {
        if (low->end > end)
            end = low->end;
        low = low->right;
    }
    return end;
}

void hy_cpu_free_blocks_init(struct hy_cpu_free_blocks *blocks, struct hy_cpu_free_block *memory,
                             size_t limit)
{
    *blocks = (struct hy_cpu_free_blocks){.unused = memory, .limit = limit};
    blocks->root = make(blocks, 0, limit);
}

size_t hy_cpu_free_blocks_take(struct hy_cpu_free_blocks *blocks, size_t size, bool from_top)
{
    if (!has(blocks->root, size)) {
        size_t begin = take_last(blocks, &blocks->root, blocks->limit);
        blocks->limit = begin + size;
        return begin;
    }
    return from_top ? take_highest(blocks, blocks->root, size)
                    : take_lowest(blocks, blocks->root, size);
}

void hy_cpu_free_blocks_give(struct hy_cpu_free_blocks *blocks, size_t begin, size_t size)
{
    block *low, *high;

    split(blocks, blocks->root, begin, &low, &high);
    size_t end = take_first(blocks, &high, begin + size);
    begin = take_last(blocks, &low, begin);
    blocks->root = join(blocks, join(blocks, low, make(blocks, begin, end)), high);
}
