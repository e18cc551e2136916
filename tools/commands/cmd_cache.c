#include <string.h>
#include <time.h>

#include "tools/cache/listing.h"
#include "tools/command.h"
#include "tools/options.h"

struct request {
    const char *dir; /* NULL: of HALYARD_CACHE_DIR */
    uint64_t limit;
    bool all;
    bool json;
    uint32_t prefix_count;
    char **prefixes;
    struct hy_cache_listing listing;
};

static const char about[] =
    "Checks and cleans the entries of a cache directory. Apps may use the directory meanwhile.\n\n"
    "  ls      lists all entries, or the entries whose tokens begin with a TOKEN\n"
    "  verify  lists the entries and reads every byte; exit status 0: all are good\n"
    "  gc      removes faulty entries and leftovers of dead processes, then the\n"
    "          least recently used entries until the rest is within the limit\n"
    "  rm      removes an entry by its token or the first digits of the token\n"
    "  check   tells whether the directory serves a model: 'cache check --help'\n\n"
    "A TOKEN is hexadecimal, as printed by ls and explain; a few digits are enough.";

/* ---- What can be done ------------------------------------------------------------------------ */

static enum hy_code list(struct request *request, bool verify, struct hy_error *err)
{
    struct hy_cache_listing *listing = &request->listing;
    listing->summary.struct_size = sizeof listing->summary;
    const int result =
        verify
            ? halyard_cache_verify(request->dir, hy_cache_listing_add, listing, &listing->summary)
            : halyard_cache_list(request->dir, hy_cache_listing_add, listing, &listing->summary);
    return hy_cache_listing_check(listing, result, verify ? "cache_verify" : "cache_list", err);
}

static enum hy_code run_list(struct request *request, struct hy_error *err)
{
    const enum hy_code code = list(request, false, err);
    hy_cache_listing_narrow(&request->listing, request->prefix_count, request->prefixes);
    return code;
}

static enum hy_code run_verify(struct request *request, struct hy_error *err)
{
    const enum hy_code code = list(request, true, err);
    hy_cache_listing_narrow(&request->listing, request->prefix_count, request->prefixes);
    return code;
}

static enum hy_code run_collect(struct request *request, struct hy_error *err)
{
    struct hy_cache_listing *listing = &request->listing;
    listing->summary.struct_size = sizeof listing->summary;
    const int result = halyard_cache_collect(request->dir, request->limit, hy_cache_listing_add,
                                             listing, &listing->summary);
    return hy_cache_listing_check(listing, result, "cache_collect", err);
}

/* Every prefix must name exactly one entry before the first entry is removed. */
static enum hy_code check_prefixes(const struct request *request, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < request->prefix_count; i++) {
        const struct halyard_cache_entry *entry;
        code = hy_cache_listing_find(&request->listing, request->prefixes[i], &entry, err);
    }
    /* the command line is right, and only the entry is missing */
    return code == HY_BAD_DATA ? HY_FAILED : code;
}

static enum hy_code run_remove(struct request *request, struct hy_error *err)
{
    struct hy_cache_listing *listing = &request->listing;
    if (request->all) {
        request->limit = 0;
        return run_collect(request, err);
    }
    enum hy_code code = list(request, false, err);
    if (code == HY_OK)
        code = check_prefixes(request, err);
    if (code != HY_OK)
        return code;

    hy_cache_listing_narrow(listing, request->prefix_count, request->prefixes);
    uint64_t bytes = 0;
    for (uint32_t i = 0; code == HY_OK && i < listing->count; i++) {
        code = hy_cache_listing_check(listing,
                                      halyard_cache_remove(request->dir, listing->entries[i].token),
                                      "cache_remove", err);
        bytes += listing->entries[i].bytes;
    }
    if (code == HY_OK)
        code = hy_cache_listing_check(
            listing, halyard_cache_list(request->dir, NULL, NULL, &listing->summary), "cache_list",
            err);
    listing->summary.removed = listing->count;
    listing->summary.removed_bytes = bytes;
    return code;
}

/* ---- The command line ------------------------------------------------------------------------ */

static const struct action {
    const char *name;
    enum hy_code (*run)(struct request *request, struct hy_error *err);
    enum hy_cache_view view;
    bool accepts_tokens;
    bool accepts_limit;
    bool accepts_all;
} actions[] = {
    {"ls", run_list, HY_CACHE_VIEW_LISTED, true, false, false},
    {"verify", run_verify, HY_CACHE_VIEW_LISTED, true, false, false},
    {"gc", run_collect, HY_CACHE_VIEW_REMOVED, false, true, false},
    {"rm", run_remove, HY_CACHE_VIEW_REMOVED, true, false, true},
};

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

static int check(const struct request *request, const struct action *action)
{
    if (request->limit != HALYARD_CACHE_LIMIT_IN_FORCE && !action->accepts_limit)
        return hy_exit_wrong("cache", "%s does not accept --limit", action->name);
    if (request->all && !action->accepts_all)
        return hy_exit_wrong("cache", "%s does not accept --all", action->name);
    if (request->prefix_count && !action->accepts_tokens)
        return hy_exit_wrong("cache", "%s does not accept a TOKEN", action->name);
    if (action->accepts_all && request->all == (request->prefix_count > 0))
        return hy_exit_wrong("cache", "%s needs either --all or a TOKEN", action->name);
    for (uint32_t i = 0; i < request->prefix_count; i++)
        if (!hy_cache_is_prefix(request->prefixes[i]))
            return hy_exit_wrong("cache", "'%s' is not the beginning of a token, in hexadecimal",
                                 request->prefixes[i]);
    return HY_EXIT_OK;
}

static const struct action *parse(int argc, char **argv, struct request *request, int *status)
{
    const struct hy_option options[] = {
        {"cache", HY_OPTION_TEXT, "DIR", "the directory (else $HALYARD_CACHE_DIR)", &request->dir},
        {"limit", HY_OPTION_BYTES, "BYTES",
         "limit for gc, as 500M or 2G (else $HALYARD_CACHE_LIMIT)", &request->limit},
        {"all", HY_OPTION_FLAG, NULL, "rm: every entry", &request->all},
        {"json", HY_OPTION_FLAG, NULL, "print JSON", &request->json},
    };
    const struct hy_syntax syntax = {
        .command = "cache",
        .operands = "ls|verify|gc|rm|check [TOKEN]...",
        .about = about,
        .operands_min = 1,
        .operands_max = UINT32_MAX,
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    int first;
    if (!hy_options_parse(&syntax, argc, argv, &first, status))
        return NULL;
    request->prefixes = argv + first + 1;
    request->prefix_count = (uint32_t)(argc - first - 1);
    const struct action *action = find_action(argv[first]);
    *status = action ? check(request, action)
                     : hy_exit_wrong("cache",
                                     "unknown subcommand '%s'; known: ls, verify, gc, rm, and "
                                     "check, which must come first",
                                     argv[first]);
    return *status == HY_EXIT_OK ? action : NULL;
}

static bool is_faulty(const struct request *request)
{
    bool faulty = !request->prefix_count && request->listing.summary.faulty > 0;
    for (uint32_t i = 0; i < request->listing.count; i++)
        faulty = faulty || *request->listing.entries[i].fault;
    return faulty;
}

static int run(struct request *request, const struct action *action)
{
    struct hy_error err;
    enum hy_code code = action->run(request, &err);
    if (code == HY_BAD_DATA) /* no directory was named */
        return hy_exit_wrong("cache", "--cache is missing, and HALYARD_CACHE_DIR is not set");
    if (code == HY_OK && request->json)
        code = hy_cache_listing_print_json(&request->listing, action->view, &err);
    else if (code == HY_OK)
        hy_cache_listing_print(&request->listing, action->view, time(NULL));
    if (code != HY_OK)
        return hy_exit_failed("cache", &err);
    const int status = hy_exit_written("cache");
    return action->run == run_verify && is_faulty(request) ? HY_EXIT_FAILED : status;
}

int hy_cmd_cache(int argc, char **argv)
{
    struct request request = {.limit = HALYARD_CACHE_LIMIT_IN_FORCE};
    int status = HY_EXIT_OK;
    if (argc > 1 && strcmp(argv[1], "check") == 0)
        return hy_cmd_cache_check(argc - 1, argv + 1);
    const struct action *action = parse(argc, argv, &request, &status);
    if (action)
        status = run(&request, action);
    hy_cache_listing_finish(&request.listing);
    return status;
}
