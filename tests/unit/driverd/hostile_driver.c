/* The library hostile.c as a driver: it does its deed when it is created, says how that went, and
 * is refused. Arguments: {"argument": PATH, "deed": NAME}. */
#include "hostile.h"

#include <stdio.h>
#include <string.h>

#include "tests/kit/scripted_driver.h"

int hostile_act(const char *deed, const char *argument);

/* The text of a member, up to the next quote. */
static void read_member(const char *arguments, const char *name, char *text, size_t space)
{
    char key[32];

    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(arguments, key);
    at = at ? at + strlen(key) : "";
    snprintf(text, space, "%.*s", (int)strcspn(at, "\""), at);
}

/* As a driver does that has something to say about everything. */
static void log_often(const struct hy_host *host)
{
    for (int i = 0; i < 2000; i++)
        host->log(host->context, HY_LOG_WARNING, "all is well");
}

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    char deed[64], argument[256];

    (void)instance;
    read_member(arguments, "deed", deed, sizeof deed);
    read_member(arguments, "argument", argument, sizeof argument);
    if (strcmp(deed, "log_often") == 0)
        log_often(host);
    snprintf(message->text, message->size, "%s came to %d", deed, hostile_act(deed, argument));
    return HY_STATUS_GENERAL_FAILURE;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static struct scripted_driver script = {.driver = {.name = "hostile", .create = create}};
    return scripted_driver(host_abi, &script);
}
