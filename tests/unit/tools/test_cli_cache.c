/* `halyard cache`. */
#include "tests/kit/test.h"

#include <fts.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/unit/tools/kit/cache_dir.h"
#include "tests/unit/tools/kit/command_run.h"

/* The answer of `halyard cache ACTION` over a folder, which is JSON, and its exit status. */
static json_t *look(const char *dir, const char *action, const char *added, int status)
{
    struct command_run run = RUN("cache", action, "--cache", dir, "--json", added);
    EXPECT_INT(run.status, status);
    json_t *json = command_run_json(&run);
    command_run_finish(&run);
    return json;
}

static json_int_t summary_of(const json_t *json, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(json, "summary"), key));
}

static void expect_count(const char *dir, const char *action, const char *added, int status,
                         const char *key, int count)
{
    json_t *json = look(dir, action, added, status);
    EXPECT_INT(summary_of(json, key), count);
    json_decref(json);
}

/* Path of the first file of this name below the folder. */
static bool find_file(const char *dir, const char *name, char path[512])
{
    char *roots[] = {(char *)dir, NULL};
    bool found = false;
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (const FTSENT *at; walk && !found && (at = fts_read(walk));) {
        found = at->fts_info == FTS_F && strcmp(at->fts_name, name) == 0;
        if (found)
            snprintf(path, 512, "%s", at->fts_path);
    }
    if (walk)
        fts_close(walk);
    EXPECT(found);
    return found;
}

/* One bit in the middle of a file. */
static void flip_bit(const char *dir, const char *name)
{
    char path[512];
    if (!find_file(dir, name, path))
        return;
    FILE *file = fopen(path, "r+b");
    REQUIRE(file != NULL);
    fseek(file, 0, SEEK_END);
    const long middle = ftell(file) / 2;
    fseek(file, middle, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, middle, SEEK_SET);
    fputc(byte ^ 1, file);
    EXPECT_INT(fclose(file), 0);
}

/* ---- The command line ------------------------------------------------------------------------ */

TEST(cli_cache, wrong_command_lines_exit_with_2_and_name_what_is_wrong)
{
    static const struct {
        const char *arguments[7];
        const char *expected;
    } cases[] = {
        {{"cache"}, "is missing"},
        {{"cache", "list"}, "unknown subcommand 'list'; known: ls, verify, gc, rm"},
        {{"cache", "ls"}, "--cache is missing, and HALYARD_CACHE_DIR is not set"},
        {{"cache", "rm", "--cache", "/tmp"}, "either --all or a TOKEN"},
        {{"cache", "rm", "--cache", "/tmp", "--all", "abc"}, "either --all or a TOKEN"},
        {{"cache", "rm", "--cache", "/tmp", "xyz"}, "'xyz' is not the beginning of a token"},
        {{"cache", "gc", "--cache", "/tmp", "abc"}, "gc does not accept a TOKEN"},
        {{"cache", "ls", "--cache", "/tmp", "--all"}, "ls does not accept --all"},
        {{"cache", "ls", "--cache", "/tmp", "--limit", "1"}, "ls does not accept --limit"},
        {{"cache", "gc", "--cache", "/tmp", "--limit", "12x"}, "'12x' is not a number of bytes"},
        {{"cache", "gc", "--cache", "/tmp", "--limit", "-1"}, "'-1' is not a number of bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct command_run run = command_run(cases[i].arguments);
        EXPECT_INT(run.status, 2);
        EXPECT_STR(run.out, "");
        EXPECT_CONTAINS(run.err, cases[i].expected);
        command_run_finish(&run);
    }
}

TEST(cli_cache, a_missing_folder_is_named)
{
    static const char *const actions[] = {"ls", "verify", "gc"};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        struct command_run run = RUN("cache", actions[i], "--cache", "/proc/nonexistent");
        EXPECT_INT(run.status, 1);
        EXPECT_CONTAINS(run.err, "/proc/nonexistent");
        command_run_finish(&run);
    }
}

TEST(cli_cache, a_folder_without_a_cache_has_no_entries)
{
    char dir[64];
    make_cache_dir(dir);
    struct command_run run = RUN("cache", "ls", "--cache", dir);
    EXPECT_INT(run.status, 0);
    EXPECT_STR(run.out, "0 entries, 0 B\n");
    command_run_finish(&run);
    expect_count(dir, "verify", NULL, 0, "entries", 0);
    expect_count(dir, "gc", NULL, 0, "removed", 0);
    remove_cache_dir(dir);
}

/* ---- Looking --------------------------------------------------------------------------------- */

TEST(cli_cache, ls_lists_entries_by_the_tokens_that_explain_tells)
{
    char dir[64];
    make_cache(dir);
    json_t *report = explain_cached("digits/digits.tflite", dir);
    const char *token = json_string_value(json_object_get(step_of(report), "token"));
    json_t *json = look(dir, "ls", token, 0);
    EXPECT_INT(json_array_size(json_object_get(json, "entries")), 1);
    EXPECT_INT(summary_of(json, "entries"), 2);
    const json_t *entry = json_array_get(json_object_get(json, "entries"), 0);
    EXPECT_STR(json_string_value(json_object_get(entry, "token")), token);
    EXPECT_STR(json_string_value(json_object_get(entry, "device")), "halyard-cpu");
    EXPECT_INT(json_integer_value(json_object_get(entry, "operations")), 12);
    EXPECT(json_integer_value(json_object_get(entry, "bytes")) > 0);
    EXPECT(json_integer_value(json_object_get(entry, "used")) > 0);
    EXPECT(json_is_null(json_object_get(entry, "fault")));
    json_decref(json);

    char beginning[13];
    snprintf(beginning, sizeof beginning, "%s", token);
    setenv("HALYARD_CACHE_DIR", dir, 1);
    struct command_run run = RUN("cache", "ls");
    unsetenv("HALYARD_CACHE_DIR");
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, beginning);
    EXPECT_CONTAINS(run.out, "\n2 entries, ");
    command_run_finish(&run);
    json_decref(report);
    remove_cache_dir(dir);
}

TEST(cli_cache, verify_finds_a_single_bit_and_removes_nothing)
{
    static const char *const files[] = {"data-0", "model-0", "metadata"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char dir[64];
        make_cache(dir);
        expect_count(dir, "verify", NULL, 0, "faulty", 0);
        flip_bit(dir, files[i]);
        expect_count(dir, "verify", NULL, 1, "faulty", 1);
        expect_count(dir, "ls", NULL, 0, "entries", 2);
        struct command_run run = RUN("cache", "verify", "--cache", dir);
        EXPECT_INT(run.status, 1);
        EXPECT_CONTAINS(run.out, "FAULTY: ");
        EXPECT_CONTAINS(run.out, ", 1 faulty\n");
        command_run_finish(&run);
        remove_cache_dir(dir);
    }
}

TEST(cli_cache, ls_tells_what_is_damaged)
{
    char dir[64];
    char path[512];
    make_cache(dir);
    if (find_file(dir, "metadata", path))
        write_whole_file(path, "{}\n");
    json_t *json = look(dir, "ls", NULL, 0);
    EXPECT_INT(summary_of(json, "entries"), 2);
    EXPECT_INT(summary_of(json, "faulty"), 1);
    json_decref(json);
    remove_cache_dir(dir);
}

/* ---- Clearing -------------------------------------------------------------------------------- */

TEST(cli_cache, gc_removes_what_is_faulty_and_keeps_within_the_limit)
{
    char dir[64];
    char path[512];
    make_cache(dir);
    if (find_file(dir, "metadata", path))
        write_whole_file(path, "{}\n");
    expect_count(dir, "gc", NULL, 0, "removed", 1);
    expect_count(dir, "gc", "--limit=1G", 0, "removed", 0);
    expect_count(dir, "gc", "--limit=1", 0, "removed", 1);
    expect_count(dir, "ls", NULL, 0, "entries", 0);
    remove_cache_dir(dir);
}

TEST(cli_cache, rm_removes_the_one_entry_whose_token_begins_so)
{
    char dir[64];
    make_cache(dir);
    json_t *report = explain_cached("digits/digits.tflite", dir);
    char beginning[9];
    snprintf(beginning, sizeof beginning, "%s",
             json_string_value(json_object_get(step_of(report), "token")));
    json_decref(report);
    json_t *json = look(dir, "rm", beginning, 0);
    EXPECT_INT(json_array_size(json_object_get(json, "removed")), 1);
    EXPECT_INT(summary_of(json, "removed"), 1);
    EXPECT_INT(summary_of(json, "entries"), 1);
    json_decref(json);

    struct command_run run = RUN("cache", "rm", "--cache", dir, beginning);
    EXPECT_INT(run.status, 1);
    EXPECT_CONTAINS(run.err, "no token begins with ");
    command_run_finish(&run);
    report = explain_cached("digits/digits.tflite", dir);
    EXPECT_STR(outcome_of(report), "stored");
    json_decref(report);
    expect_count(dir, "rm", "--all", 0, "removed", 2);
    expect_count(dir, "ls", NULL, 0, "entries", 0);
    remove_cache_dir(dir);
}
