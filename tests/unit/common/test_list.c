#include "common/list.h"
#include "tests/kit/test.h"

struct item {
    int number;
    LIST_ENTRY(item) entry;
};

TEST(list, element_leaves_once)
{
    LIST_HEAD(, item) list = LIST_HEAD_INITIALIZER(list);
    struct item items[3] = {{.number = 0}, {.number = 1}, {.number = 2}};

    for (int i = 0; i < 3; i++)
        LIST_INSERT_HEAD(&list, &items[i], entry);
    for (int i = 0; i < 2; i++) /* twice: the second time it is in no list */
        HY_LIST_REMOVE(&items[1], entry);
    EXPECT(LIST_FIRST(&list) == &items[2]);
    EXPECT(LIST_NEXT(&items[2], entry) == &items[0]);
    EXPECT(LIST_NEXT(&items[0], entry) == NULL);
    LIST_INSERT_HEAD(&list, &items[1], entry);
    EXPECT(LIST_FIRST(&list) == &items[1]);
}

TEST(list, element_that_was_in_no_list_stays_out)
{
    struct item item = {.number = 4};

    HY_LIST_REMOVE(&item, entry);
    EXPECT(item.entry.le_prev == NULL);
}
