#include "tools/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/byte_count.h"
#include "common/near_name.h"
#include "tools/command.h"

#define OPTIONS_MAX 24
#define HELP_COLUMN 28
#define HELP_WIDTH  80

/* Prints a text from `column` on, in lines of at most HELP_WIDTH columns; later lines begin at
 * `indent`. A paragraph ends with an empty line; a line that begins with a space is printed
 * unchanged. */
static void print_wrapped(const char *text, int column, int indent)
{
    const char *gap = "";

    while (*text) {
        const int length = (int)strcspn(text, " \n");
        if (column > indent && column + (int)strlen(gap) + length > HELP_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
            gap = "";
        }
        column += printf("%s%.*s", gap, length, text);
        text += length;
        gap = " ";
        if (text[0] == '\n' && (text[1] == '\n' || text[1] == ' ')) {
            const int lines = (int)strspn(text, "\n");
            const int spaces = (int)strspn(text + lines, " ");
            printf("%.*s%*s", lines, text, spaces, "");
            text += lines + spaces;
            column = indent + spaces;
            gap = "";
        } else if (*text) {
            text++;
        }
    }
    printf("\n");
}

static void print_option(const char *name, const char *argument, const char *help)
{
    const int column = printf("  --%s%s%s", name, argument ? " " : "", argument ? argument : "");
    const bool is_long = column > HELP_COLUMN - 2;

    printf("%s%*s", is_long ? "\n" : "", is_long ? HELP_COLUMN : HELP_COLUMN - column, "");
    print_wrapped(help, HELP_COLUMN, HELP_COLUMN);
}

static void print_help(const struct hy_syntax *syntax)
{
    printf("Usage: halyard %s [OPTION]...%s%s\n\n", syntax->command, *syntax->operands ? " " : "",
           syntax->operands);
    print_wrapped(syntax->about, 0, 0);
    printf("\nOptions:\n");
    for (size_t i = 0; i < syntax->option_count; i++)
        print_option(syntax->options[i].name, syntax->options[i].argument, syntax->options[i].help);
    print_option("help", NULL, "print this text");
}

/* What completions of shells are made of: name, argument and help, between tabs. */
static void print_list(const struct hy_syntax *syntax)
{
    for (size_t i = 0; i < syntax->option_count; i++) {
        const struct hy_option *option = &syntax->options[i];
        printf("--%s\t%s\t%s\n", option->name, option->argument ? option->argument : "",
               option->help);
    }
    printf("--help\t\tprint this text\n");
}

static bool parse_count(const char *text, uint32_t least, uint32_t *out)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno || !isdigit((unsigned char)*text) || *end || value > UINT32_MAX || value < least)
        return false;
    *out = (uint32_t)value;
    return true;
}

static bool parse_choice(const char *names, const char *text, int32_t *out)
{
    const size_t length = strlen(text);

    for (int32_t i = 0;; i++) {
        const size_t here = strcspn(names, "|");
        if (here == length && strncmp(names, text, length) == 0) {
            *out = i;
            return true;
        }
        if (!names[here])
            return false;
        names += here + 1;
    }
}

/* Returns an exit status: HY_EXIT_OK to go on. */
static int parse_option(const char *command, const struct hy_option *option, const char *text)
{
    struct hy_option_list *list = option->value;
    const uint32_t least = option->kind == HY_OPTION_COUNT ? 1 : 0;

    switch (option->kind) {
    case HY_OPTION_FLAG:
        *(bool *)option->value = true;
        return HY_EXIT_OK;
    case HY_OPTION_TEXT:
        *(const char **)option->value = text;
        return HY_EXIT_OK;
    case HY_OPTION_LIST:
        if (list->count == HY_OPTION_LIST_MAX)
            return hy_exit_wrong(command, "--%s is given more than %d times", option->name,
                                 HY_OPTION_LIST_MAX);
        list->items[list->count++] = text;
        return HY_EXIT_OK;
    case HY_OPTION_COUNT:
    case HY_OPTION_COUNT_OR_NONE:
        if (parse_count(text, least, option->value))
            return HY_EXIT_OK;
        return hy_exit_wrong(command, "--%s: '%s' is not a number from %u to %u", option->name,
                             text, least, UINT32_MAX);
    case HY_OPTION_BYTES:
        if (hy_byte_count_read(text, option->value))
            return HY_EXIT_OK;
        return hy_exit_wrong(command,
                             "--%s: '%s' is not a number of bytes, as 1000, 64K, 16M or 2G",
                             option->name, text);
    case HY_OPTION_ENUM:
        if (parse_choice(option->argument, text, option->value))
            return HY_EXIT_OK;
        return hy_exit_wrong(command, "--%s: '%s' is not one of %s", option->name, text,
                             option->argument);
    }
    return HY_EXIT_OK;
}

/* Fills getopt's table: the options, numbered from 1, followed by --help and the end. */
static void fill_table(const struct hy_syntax *syntax, struct option table[OPTIONS_MAX + 2])
{
    memset(table, 0, sizeof(struct option[OPTIONS_MAX + 2]));
    for (size_t i = 0; i < syntax->option_count; i++) {
        table[i].name = syntax->options[i].name;
        table[i].has_arg =
            syntax->options[i].kind == HY_OPTION_FLAG ? no_argument : required_argument;
        table[i].val = (int)i + 1;
    }
    table[syntax->option_count] = (struct option){.name = "help", .val = 'h'};
}

/* The option that was meant; NULL: none is near. */
static const char *find_near(const struct hy_syntax *syntax, const char *name)
{
    const char *names[OPTIONS_MAX];
    char word[64];

    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "="), name);
    for (size_t i = 0; i < syntax->option_count; i++)
        names[i] = syntax->options[i].name;
    return hy_near_name(word, names, syntax->option_count);
}

static int refuse(const struct hy_syntax *syntax, int problem, int index, char **argv)
{
    const char *given = argv[optind - 1];
    const char *command = syntax->command;

    if (problem == ':')
        return hy_exit_wrong(command, "%s needs an argument", given);
    if (index && strncmp(given, "--", 2) != 0) /* a short option: we have none but -h */
        return hy_exit_wrong(command, "unknown option -%c", index);
    if (index)
        return hy_exit_wrong(command, "%s: the option has no argument", given);
    const char *near = find_near(syntax, given + 2);
    return hy_exit_wrong(command, "unknown option %s%s%s%s", given, near ? "; did you mean --" : "",
                         near ? near : "", near ? "?" : "");
}

static bool check_operands(const struct hy_syntax *syntax, int count, char **operands, int *status)
{
    if ((uint32_t)count < syntax->operands_min) {
        *status = hy_exit_wrong(syntax->command, "%s is missing", syntax->operands);
        return false;
    }
    if ((uint32_t)count > syntax->operands_max) {
        *status = hy_exit_wrong(syntax->command, "unexpected argument '%s'",
                                operands[syntax->operands_max]);
        return false;
    }
    return true;
}

bool hy_options_parse(const struct hy_syntax *syntax, int argc, char **argv, int *first,
                      int *status)
{
    struct option table[OPTIONS_MAX + 2];
    if (argc == 2 && strcmp(argv[1], "--list-options") == 0) {
        print_list(syntax);
        *status = hy_exit_written(syntax->command);
        return false;
    }
    fill_table(syntax, table);
    opterr = 0; /* messages come from this file */
    optind = 0; /* 0 restarts GNU getopt */

    int letter;
    while ((letter = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
        if (letter == 'h') {
            print_help(syntax);
            *status = hy_exit_written(syntax->command);
            return false;
        }
        if (letter == '?' || letter == ':')
            *status = refuse(syntax, letter, letter == '?' ? optopt : 0, argv);
        else
            *status = parse_option(syntax->command, &syntax->options[letter - 1], optarg);
        if (*status != HY_EXIT_OK)
            return false;
    }
    *first = optind;
    return check_operands(syntax, argc - optind, argv + optind, status);
}
