#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/printable.h"
#include "tools/byte_text.h"
#include "tools/cache/listing.h"
#include "tools/token_text.h"

#define TOKEN_WIDTH 12

/* A cell of the table, cut to its size. */
struct cell {
    char text[48];
};

/* Control characters of a file must not reach a terminal. */
static struct cell name_cell(const char *name)
{
    struct cell cell;
    snprintf(cell.text, sizeof cell.text, "%s", *name ? name : "-");
    for (char *at = cell.text; *at; at++)
        if (iscntrl((unsigned char)*at) || (unsigned char)*at >= 0x80)
            *at = '?';
    return cell;
}

/* "5 min": how long ago. Times of a damaged entry are 0. */
static struct cell age_cell(int64_t now, int64_t then)
{
    static const struct {
        int64_t seconds;
        const char *name;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    struct cell cell;
    const int64_t age = now > then ? now - then : 0;
    size_t unit = 0;
    while (age < units[unit].seconds && unit + 1 < sizeof units / sizeof *units)
        unit++;
    if (then <= 0)
        snprintf(cell.text, sizeof cell.text, "-");
    else
        snprintf(cell.text, sizeof cell.text, "%lld %s", (long long)(age / units[unit].seconds),
                 units[unit].name);
    return cell;
}

static int widest(int least, const char *text)
{
    const int length = (int)strlen(text);
    return length > least ? length : least;
}

static void print_state(const struct halyard_cache_entry *entry)
{
    if (!*entry->fault) {
        puts(entry->kept_open ? "kept open" : "ok");
        return;
    }
    printf("FAULTY: %s\n", hy_text_line(entry->fault).text);
}

/* Widths of the columns whose width depends on their contents. */
struct widths {
    int device;
    int version;
    int build;
};

static struct widths measure(const struct hy_cache_listing *listing)
{
    struct widths widths = {.device = 6, .version = 7, .build = 5};

    for (uint32_t i = 0; i < listing->count; i++) {
        const struct halyard_cache_entry *entry = &listing->entries[i];
        widths.device = widest(widths.device, name_cell(entry->device).text);
        widths.version = widest(widths.version, name_cell(entry->version).text);
        widths.build = widest(widths.build, name_cell(entry->build_id).text);
    }
    return widths;
}

static void print_entry(const struct halyard_cache_entry *entry, struct widths widths, int64_t now)
{
    char token[HY_TOKEN_TEXT_SIZE];
    hy_token_text(entry->token, token);
    printf("%.*s  %-*s  %-*s  %-*s  %5u  %10s  %7s  %7s  ", TOKEN_WIDTH, token, widths.device,
           name_cell(entry->device).text, widths.version, name_cell(entry->version).text,
           widths.build, name_cell(entry->build_id).text, entry->operation_count,
           hy_byte_text(entry->bytes).text, age_cell(now, entry->created).text,
           age_cell(now, entry->used).text);
    print_state(entry);
}

static void print_table(const struct hy_cache_listing *listing, int64_t now)
{
    const struct widths widths = measure(listing);

    if (listing->count)
        printf("%-*s  %-*s  %-*s  %-*s  %5s  %10s  %7s  %7s  %s\n", TOKEN_WIDTH, "token",
               widths.device, "device", widths.version, "version", widths.build, "build", "ops",
               "size", "age", "used", "state");
    for (uint32_t i = 0; i < listing->count; i++)
        print_entry(&listing->entries[i], widths, now);
}

static const char *entries_noun(uint64_t count)
{
    return count == 1 ? "entry" : "entries";
}

void hy_cache_listing_print(const struct hy_cache_listing *listing, enum hy_cache_view view,
                            int64_t now)
{
    const struct halyard_cache_summary *summary = &listing->summary;
    print_table(listing, now);
    if (view == HY_CACHE_VIEW_REMOVED)
        printf("removed %llu %s and %llu leftover%s, %s\n", (unsigned long long)summary->removed,
               entries_noun(summary->removed), (unsigned long long)summary->leftovers,
               summary->leftovers == 1 ? "" : "s", hy_byte_text(summary->removed_bytes).text);
    printf("%llu %s, %s", (unsigned long long)summary->entries, entries_noun(summary->entries),
           hy_byte_text(summary->bytes).text);
    if (view == HY_CACHE_VIEW_LISTED && summary->faulty)
        printf(", %llu faulty", (unsigned long long)summary->faulty);
    putchar('\n');
}
