/* Looking over a cache directory through halyard.h. */
#include "cache_store/entry_writer.h"
#include "tests/kit/test.h"

#include <fts.h>
#include <halyard/halyard.h>
#include <stdlib.h>
#include <unistd.h>

/* A folder with `count` entries, whose tokens begin with 1, 2 and so on, of 100 bytes each. */
static void make_cache(char dir[64], uint8_t count)
{
    const struct hy_entry_info info = {
        .device = "npu", .version = "3", .build_id = "b", .operations = 7, .priority = 100};
    struct hy_store *store = NULL;
    strcpy(dir, "/tmp/halyard-test-XXXXXX");
    REQUIRE(mkdtemp(dir) != NULL);
    REQUIRE(hy_store_open(dir, false, 1 << 20, &store, NULL) == HY_OK);
    for (uint8_t i = 1; i <= count; i++) {
        const uint8_t token[HY_TOKEN_SIZE] = {i};
        const char bytes[100] = {(char)i};
        struct hy_entry_writer *writer = NULL;
        if (hy_entry_writer_create(store, token, (struct hy_file_counts){0, 1}, &writer, NULL) !=
            HY_OK) {
            EXPECT(false);
            break;
        }
        EXPECT_INT(write(writer->data[0], bytes, sizeof bytes), sizeof bytes);
        EXPECT_INT(hy_entry_writer_publish(writer, &info, false, NULL), HY_OK);
    }
    hy_store_close(store);
}

static void remove_cache(const char *dir)
{
    char *roots[] = {(char *)dir, NULL}; /* fts does not write to it */
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (const FTSENT *entry; walk && (entry = fts_read(walk));)
        if (entry->fts_info != FTS_D)
            remove(entry->fts_path);
    if (walk)
        fts_close(walk);
}

struct seen {
    uint32_t count;
    uint8_t first[4]; /* bytes of the tokens */
};

static void see(void *context, const struct halyard_cache_entry *entry)
{
    struct seen *seen = context;
    EXPECT_INT(entry->struct_size, sizeof *entry);
    EXPECT_STR(entry->device, "npu");
    EXPECT_STR(entry->version, "3");
    EXPECT_STR(entry->build_id, "b");
    EXPECT_INT(entry->operation_count, 7);
    EXPECT_INT(entry->priority, 100);
    EXPECT_INT(entry->model_files, 0);
    EXPECT_INT(entry->data_files, 1);
    EXPECT(entry->bytes >= 100);
    EXPECT(entry->created > 0 && entry->used > 0);
    EXPECT_STR(entry->fault, "");
    if (seen->count < sizeof seen->first)
        seen->first[seen->count] = entry->token[0];
    seen->count++;
}

TEST(cache_api, entries_are_visited_in_order_of_their_tokens)
{
    struct halyard_cache_summary summary = {.struct_size = sizeof summary};
    struct seen listed = {0}, verified = {0};
    char dir[64];
    make_cache(dir, 3);
    EXPECT_INT(halyard_cache_list(dir, see, &listed, &summary), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_cache_verify(dir, see, &verified, NULL), ANEURALNETWORKS_NO_ERROR);
    for (uint8_t i = 0; i < 3; i++) {
        EXPECT_INT(listed.first[i], i + 1);
        EXPECT_INT(verified.first[i], i + 1);
    }
    EXPECT_INT(listed.count, 3);
    EXPECT_INT(summary.entries, 3);
    EXPECT(summary.bytes >= 300);
    EXPECT_INT(summary.faulty, 0);
    remove_cache(dir);
}

TEST(cache_api, an_entry_is_removed_whether_it_is_there_or_not)
{
    struct halyard_cache_summary summary = {.struct_size = sizeof summary};
    const uint8_t token[HALYARD_TOKEN_SIZE] = {2};
    struct seen seen = {0};
    char dir[64];
    make_cache(dir, 2);
    EXPECT_INT(halyard_cache_remove(dir, token), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_cache_remove(dir, token), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_cache_list(dir, see, &seen, &summary), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(seen.count, 1);
    EXPECT_INT(seen.first[0], 1);
    remove_cache(dir);
}

TEST(cache_api, collecting_shows_what_it_removes)
{
    struct halyard_cache_summary summary = {.struct_size = sizeof summary};
    struct seen seen = {0};
    char dir[64];
    make_cache(dir, 3);
    EXPECT_INT(halyard_cache_collect(dir, HALYARD_CACHE_LIMIT_IN_FORCE, see, &seen, &summary),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(seen.count, 0);
    EXPECT_INT(summary.entries, 3);
    EXPECT_INT(halyard_cache_collect(dir, 0, see, &seen, &summary), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(seen.count, 3);
    EXPECT_INT(summary.removed, 3);
    EXPECT_INT(summary.entries, 0);
    remove_cache(dir);
}

TEST(cache_api, an_older_summary_is_filled_as_far_as_it_goes)
{
    struct halyard_cache_summary summary = {0};
    char dir[64];
    make_cache(dir, 1);
    memset(&summary, 0xa5, sizeof summary);
    summary.struct_size = offsetof(struct halyard_cache_summary, bytes);
    EXPECT_INT(halyard_cache_list(dir, NULL, NULL, &summary), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(summary.entries, 1);
    EXPECT(summary.bytes == UINT64_C(0xa5a5a5a5a5a5a5a5));
    summary.struct_size = 0;
    EXPECT_INT(halyard_cache_list(dir, NULL, NULL, &summary), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "struct_size is 0");
    remove_cache(dir);
}

TEST(cache_api, folders_that_cannot_be_used_are_named)
{
    const uint8_t token[HALYARD_TOKEN_SIZE] = {1};
    EXPECT_INT(halyard_cache_list("/dev/null/none", NULL, NULL, NULL), ANEURALNETWORKS_OP_FAILED);
    EXPECT_CONTAINS(halyard_last_error(), "cache_list: ");
    EXPECT_CONTAINS(halyard_last_error(), "/dev/null/none");
    EXPECT_INT(halyard_cache_remove("/dev/null/none", token), ANEURALNETWORKS_OP_FAILED);
    EXPECT_INT(halyard_cache_collect(NULL, 0, NULL, NULL, NULL), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "HALYARD_CACHE_DIR");
    EXPECT_INT(halyard_cache_remove("/tmp", NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
}
