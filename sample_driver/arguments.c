/*
 * A driver links to nothing of Halyard's, and needs no JSON library for a few settings: the host
 * has checked that the text is valid JSON, so a scanner for the forms we accept is enough. What it
 * does not know it refuses.
 */
#include "arguments.h"

#include "blobs.h"
#include "buffer.h"
#include "driver_kit/message.h"
#include "operations.h"

#include <string.h>

#define MAX_WHOLE 1e15 /* every whole number up to here is a double */

/* ---- Scanner: each function skips blanks, then takes what it is named after ------------------ */

static void take_blanks(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

static bool take(const char **at, char wanted)
{
    take_blanks(at);
    if (**at != wanted)
        return false;
    ++*at;
    return true;
}

/* A string without escapes, shorter than `room`. */
static bool take_string(const char **at, char *out, size_t room)
{
    if (!take(at, '"'))
        return false;
    size_t length = strcspn(*at, "\"\\");
    if ((*at)[length] != '"' || length >= room)
        return false;
    memcpy(out, *at, length);
    out[length] = '\0';
    *at += length + 1;
    return true;
}

/* Digits, with or without a fraction. (strtof would depend on the app's locale.) */
static bool take_number(const char **at, double *out)
{
    take_blanks(at);
    const char *start = *at;
    double value = 0, unit = 1;
    for (; **at >= '0' && **at <= '9'; ++*at)
        value = value * 10 + (**at - '0');
    if (*at > start && **at == '.') {
        for (++*at; **at >= '0' && **at <= '9'; ++*at)
            value += (**at - '0') * (unit /= 10);
    }
    *out = value;
    return *at > start && **at != 'e' && **at != 'E';
}

/* ---- Members --------------------------------------------------------------------------------- */

static bool read_name(const char **at, const struct hy_message *message,
                      struct sample_arguments *arguments)
{
    if (take_string(at, arguments->name, sizeof arguments->name) && arguments->name[0])
        return true;
    hy_message_write(message, "arguments.name needs a plain string of 1 to %u bytes",
                     SAMPLE_MAX_NAME - 1);
    return false;
}

/* An array of names, each of which stands for a bit. */
static bool read_set(const char **at, const char *member, uint32_t (*bit_named)(const char *),
                     const struct hy_message *message, uint32_t *set)
{
    *set = 0;
    bool ok = take(at, '[');
    bool more = ok && !take(at, ']');
    while (ok && more) {
        char name[48] = "";
        uint32_t bit = take_string(at, name, sizeof name) ? bit_named(name) : 0;
        if (bit == 0) {
            hy_message_write(message, "arguments.%s: \"%s\" is not one of this driver's", member,
                             name);
            return false;
        }
        *set |= bit;
        more = take(at, ',');
        ok = more || take(at, ']');
    }
    if (!ok)
        hy_message_write(message, "arguments.%s needs an array of names", member);
    return ok;
}

static bool read_ratio(const char **at, const char *member, const struct hy_message *message,
                       float *ratio)
{
    double value;
    if (take_number(at, &value) && value > 0 && value <= 1000) {
        *ratio = (float)value;
        return true;
    }
    hy_message_write(message, "arguments.%s needs a number above 0, up to 1000, without exponent",
                     member);
    return false;
}

static bool read_whole(const char **at, const char *member, const struct hy_message *message,
                       uint64_t *whole)
{
    double value;
    if (take_number(at, &value) && value <= MAX_WHOLE) {
        *whole = (uint64_t)value;
        return true;
    }
    hy_message_write(message, "arguments.%s needs a number from 0 to %.0f, without exponent",
                     member, MAX_WHOLE);
    return false;
}

/* One of some names: its number. */
static bool read_choice(const char **at, const char *member, const char *const *names,
                        uint32_t count, const struct hy_message *message, uint32_t *choice)
{
    char name[48] = "";
    const bool is_text = take_string(at, name, sizeof name);
    for (uint32_t i = 0; i < count && is_text; i++) {
        if (strcmp(name, names[i]) == 0) {
            *choice = i;
            return true;
        }
    }
    hy_message_write(message, "arguments.%s: \"%s\" is not one of this driver's", member, name);
    return false;
}

static bool read_count(const char **at, const char *member, uint32_t most,
                       const struct hy_message *message, uint32_t *count)
{
    double value;
    if (take_number(at, &value) && value <= most) {
        *count = (uint32_t)value;
        return true;
    }
    hy_message_write(message, "arguments.%s needs a number from 0 to %u", member, most);
    return false;
}

static bool read_member(const char **at, const struct hy_message *message,
                        struct sample_arguments *arguments)
{
    static const char *const compiles[] = {
        [SAMPLE_COMPILE_PLAIN] = "plain",
        [SAMPLE_COMPILE_AT_PREPARE] = "at_prepare",
        [SAMPLE_COMPILE_JUST_IN_TIME] = "just_in_time",
    };
    static const char *const lates[] = {
        [SAMPLE_LATE_COMMIT] = "commit", [SAMPLE_LATE_DESCRIPTORS] = "descriptors"};
    char key[32] = "";
    if (!take_string(at, key, sizeof key) || !take(at, ':')) {
        hy_message_write(message, "arguments: a member has an unknown name or none");
        return false;
    }
    if (strcmp(key, "name") == 0)
        return read_name(at, message, arguments);
    if (strcmp(key, "operations") == 0)
        return read_set(at, key, sample_operation_named, message, &arguments->operations);
    if (strcmp(key, "types") == 0)
        return read_set(at, key, sample_type_named, message, &arguments->types);
    if (strcmp(key, "speed") == 0)
        return read_ratio(at, key, message, &arguments->speed);
    if (strcmp(key, "power") == 0)
        return read_ratio(at, key, message, &arguments->power);
    if (strcmp(key, "launch_ns") == 0)
        return read_whole(at, key, message, &arguments->launch_ns);
    if (strcmp(key, "bytes_per_second") == 0)
        return read_whole(at, key, message, &arguments->bytes_per_second);
    if (strcmp(key, "compile") == 0)
        return read_choice(at, key, compiles, 3, message, &arguments->compile);
    if (strcmp(key, "late") == 0)
        return read_choice(at, key, lates, 2, message, &arguments->late);
    if (strcmp(key, "cache_files") == 0)
        return read_count(at, key, HY_MAX_CACHE_FILES, message, &arguments->cache_files);
    if (strcmp(key, "buffers") == 0)
        return read_count(at, key, SAMPLE_MAX_BUFFERS, message, &arguments->buffers);
    if (strcmp(key, "blobs") == 0)
        return read_count(at, key, SAMPLE_MAX_BLOBS, message, &arguments->blobs);
    hy_message_write(message,
                     "arguments.%s is unknown; known are name, operations, types, speed, power, "
                     "launch_ns, bytes_per_second, compile, late, cache_files, buffers, blobs",
                     key);
    return false;
}

/* A device caches in one way, and only what has been compiled with care is worth it. */
static bool check_blobs(const struct sample_arguments *arguments, const struct hy_message *message)
{
    if (arguments->blobs == 0 ||
        (arguments->cache_files == 0 && arguments->compile == SAMPLE_COMPILE_AT_PREPARE))
        return true;
    hy_message_write(message,
                     "arguments.blobs needs \"compile\": \"at_prepare\", and no cache_files");
    return false;
}

bool sample_arguments_read(const char *text, const struct hy_message *message,
                           struct sample_arguments *out)
{
    struct sample_arguments arguments = {
        .name = "halyard-sample",
        .operations = SAMPLE_STANDARD_OPERATIONS,
        .types = SAMPLE_ALL_TENSORS,
        .speed = 0.5f,
    };
    const char *at = text;
    bool ok = take(&at, '{');
    bool more = ok && !take(&at, '}');
    while (ok && more) {
        if (!read_member(&at, message, &arguments))
            return false;
        more = take(&at, ',');
        ok = more || take(&at, '}');
    }
    if (!ok) {
        hy_message_write(message, "arguments is not an object");
        return false;
    }
    if (!check_blobs(&arguments, message))
        return false;
    if (arguments.power == 0)
        arguments.power = arguments.speed;
    *out = arguments;
    return true;
}
