/*
 * Makes the tables of docs/service-protocol.md and docs/queue-format.md from the rows that the
 * product itself runs on.
 *
 *     make_layouts            prints the tables
 *     make_layouts PAGE...    looks for each table in the pages
 *
 * Exit status: 0, or 1 for a table that stands in none of the pages as it is.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halyard/driver.h"
#include "plugins/discovery/manifest.h"
#include "plugins/service/queue/layout.h"
#include "plugins/service/wire/describe.h"
#include "plugins/service/wire/messages.h"

/* ---- Messages -------------------------------------------------------------------------------- */

/* "(hy_request, run_options)" as "request, run options", " " before it if there is anything. */
static void print_spaced(FILE *page, const char *names)
{
    if (strcmp(names, "()") != 0 && *names)
        putc(' ', page);
    for (; *names; names++) {
        if (strncmp(names, "hy_", 3) == 0)
            names += 2;
        else if (*names != '(' && *names != ')')
            putc(*names == '_' ? ' ' : *names, page);
    }
}

static void print_messages(FILE *page, const char *whose)
{
    fprintf(page, "| no. | message of the %s | socket | object | body | answer |\n", whose);
    fputs("|---|---|---|---|---|---|\n", page);
#define CLIENT  "client"
#define HOST    "host"
#define CONTROL "control"
#define CHANNEL "channel"
#define BURST   "burst"
#define NOTIFY  " (told)"
#define CALL    ""
#define MESSAGE(number, NAME, text, sender, position, way, object, body, reply) \
    if (strcmp(whose, sender) == 0) { \
        fprintf(page, "| %d | %s | %s | %s |", number, #NAME, position, object); \
        print_spaced(page, #body); \
        fprintf(page, " |%s", way); \
        print_spaced(page, #reply); \
        fputs(" |\n", page); \
    }
#include "plugins/service/wire/messages.def"
    putc('\n', page);
}

/* ---- Structs --------------------------------------------------------------------------------- */

/* The name of a member without the names of the structs around the member. */
static const char *last(const char *member)
{
    const char *dot = strrchr(member, '.');
    return dot ? dot + 1 : member;
}

/* " (0 to 1: note)", " (1 or more)", " (note)", or nothing. */
static void print_limits(FILE *page, int64_t least, uint64_t most, const char *note)
{
    const bool is_open = most == UINT64_MAX || most == INT64_MAX || most == UINT32_MAX;
    char limits[64] = "";

    if (is_open && least != 0)
        snprintf(limits, sizeof limits, "%lld or more", (long long)least);
    else if (!is_open && (uint64_t)least == most)
        snprintf(limits, sizeof limits, "%lld", (long long)least);
    else if (!is_open)
        snprintf(limits, sizeof limits, "%lld to %lld", (long long)least, (long long)most);
    if (*limits || *note)
        fprintf(page, " (%s%s%s)", limits, *limits && *note ? ": " : "", note);
}

/* Successive numbers are in one row. */
static bool is_in_record;

static void end_record(FILE *page)
{
    if (is_in_record)
        fputs(" |\n", page);
    is_in_record = false;
}

static void number(FILE *page, const char *type, const char *member, int64_t least, uint64_t most,
                   const char *note)
{
    fputs(is_in_record ? "," : "| record |", page);
    print_spaced(page, type);
    fprintf(page, " %s", last(member));
    print_limits(page, least, most, note);
    is_in_record = true;
}

/* A count of NULL: one element. */
static void piece(FILE *page, const char *type, const char *count, const char *member,
                  const char *note)
{
    end_record(page);
    putc('|', page);
    print_spaced(page, type);
    if (count)
        fprintf(page, " × %s", last(count));
    fprintf(page, " | %s", last(member));
    print_limits(page, 0, UINT64_MAX, note);
    fputs(" |\n", page);
}

static void head(FILE *page, const char *name, const char *kind)
{
    putc('|', page);
    print_spaced(page, name);
    fprintf(page, "%s | |\n|---|---|\n", kind);
}

static void end(FILE *page)
{
    end_record(page);
    putc('\n', page);
}

#define BEGIN(name)                                head(page, #name, "");
#define END                                        end(page);
#define NUMBER(type, m, note)                      number(page, #type, #m, 0, UINT64_MAX, note);
#define LIMIT(type, m, least, most, refusal, note) number(page, #type, #m, least, most, note);
#define CONSTANT(type, name, value, refusal)       number(page, #type, #name, value, value, "");
#define HAS(type, m, refusal)                      number(page, #type, "has_" #m, 0, 1, "");
#define RECORD(name, m)                            number(page, #name, #m, 0, UINT64_MAX, "");
#define TEXT(m, note)                              piece(page, "text", NULL, #m, note);
#define TEXTS(m, count, note)                      piece(page, "text", #count, #m, note);
#define BYTES(m, count, note)                      piece(page, "u8", #count, #m, note);
#define ARRAY(type, m, count, note)                piece(page, #type, #count, #m, note);
#define FIXED(m, size, note)                       piece(page, "u8", #size, #m, note);
#define EACH(name, m, count)                       piece(page, #name, #count, #m, "");
#define STRUCT(name, m)                            piece(page, #name, NULL, #m, "");
#define POOL(m)                                    piece(page, "pool", NULL, #m, "");
#define FD(m, note)                                piece(page, "descriptor", NULL, #m, note);
#define FDS(m, count, note)                        piece(page, "descriptor", #count, #m, note);
/* no bytes */
#define SIZE(m, name)
#define RESERVE(m, count, least)

static void print_structs(FILE *page)
{
#include "plugins/service/wire/structs.def"
}

#undef BEGIN
#define BEGIN(name) head(page, #name, " (record)");
#define ABI(name)

static void print_records(FILE *page)
{
#include "plugins/service/wire/records.def"
}

/* ---- Elements -------------------------------------------------------------------------------- */

/* Its bytes in an element, and what is there. */
static void member(FILE *page, size_t at, const char *type, const char *name, int64_t least,
                   uint64_t most, const char *note)
{
    fprintf(page, "%s %zu: %s%s", is_in_record ? "," : "", at, type, name);
    print_limits(page, least, most, note);
    is_in_record = true;
}

#undef BEGIN
#undef END
#undef NUMBER
#undef LIMIT
#undef TEXT

#define TAG(NAME, tag, member, note) fprintf(page, "| %d | %s | %s |\n", tag, #member, note);
#define BEGIN(member) \
    { \
        typedef __typeof__(((DATUM *)0)->member) OF; \
        const size_t start = offsetof(DATUM, member); \
        fputs("| " #member " |", page);
#define NUMBER(type, m, note) \
    member(page, start + offsetof(OF, m), #type, " " #m, 0, UINT64_MAX, note);
#define LIMIT(type, m, least, most, note) \
    member(page, start + offsetof(OF, m), #type, " " #m, least, most, note);
#define ZERO(m, count)
#define END(member) \
    end_record(page); \
    }
#define ONE(type, name, least, most, note) \
    fputs("| " #name " |", page); \
    member(page, offsetof(DATUM, name), #type, "", least, most, note); \
    end_record(page);
#define TEXT(name, size, note) \
    fprintf(page, "| %s | %zu: u8 × %d (%s) |\n", #name, offsetof(DATUM, name), size, note);

static void print_request_elements(FILE *page)
{
    typedef struct hy_request_datum DATUM;

    fputs("| tag of a request | member | is |\n|---|---|---|\n", page);
#define REQUEST_TAGS
#include "plugins/service/queue/elements.def"
    fputs("\n| member of a request | byte: type and name |\n|---|---|\n", page);
#define REQUEST_MEMBERS
#include "plugins/service/queue/elements.def"
    putc('\n', page);
}

static void print_result_elements(FILE *page)
{
    typedef struct hy_result_datum DATUM;

    fputs("| tag of a result | member | is |\n|---|---|---|\n", page);
#define RESULT_TAGS
#include "plugins/service/queue/elements.def"
    fputs("\n| member of a result | byte: type and name |\n|---|---|\n", page);
#define RESULT_MEMBERS
#include "plugins/service/queue/elements.def"
    putc('\n', page);
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static char *make_tables(void)
{
    char *tables = NULL;
    size_t size = 0;
    FILE *page = open_memstream(&tables, &size);
    if (!page)
        return NULL;
    print_messages(page, CLIENT);
    print_messages(page, HOST);
    print_structs(page);
    print_records(page);
    print_request_elements(page);
    print_result_elements(page);
    fclose(page);
    return tables;
}

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    if (file && getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

static bool stands_in(const char *path, const char *table)
{
    char *page = read_file(path);
    const bool stands = page && strstr(page, table);

    free(page);
    return stands;
}

/* An empty line ends a table. */
static bool all_are_present(char *tables, char **pages, int page_count)
{
    bool all = true;

    for (char *end; (end = strstr(tables, "\n\n")); tables = end + 2) {
        bool stands = false;
        end[1] = '\0';
        for (int i = 0; i < page_count && !stands; i++)
            stands = stands_in(pages[i], tables);
        if (!stands)
            fprintf(stderr, "no page has this table:\n%s", tables);
        all = all && stands;
    }
    return all;
}

int main(int argc, char **argv)
{
    char *tables = make_tables();
    if (!tables)
        return EXIT_FAILURE;
    bool is_good = true;
    if (argc > 1)
        is_good = all_are_present(tables, argv + 1, argc - 1);
    else
        fputs(tables, stdout);
    free(tables);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
