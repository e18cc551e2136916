#include <halyard/halyard.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/near_name.h"
#include "tools/command.h"
#include "tools/interrupt.h"

/* a command prints the reasons of refused calls itself */
#define BUT_REFUSALS \
    "warning:cache,device,diagnostics,driver,execute,extension,memory,model,plan,profile,report"

/* `devices` lists refused drivers itself, `inspect` tries what is refused, and thousands of tests
 * of `conformance` fall back to other devices. */
static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
    const char *log; /* HALYARD_LOG, unless the user sets the variable */
} commands[] = {
    {"devices", hy_cmd_devices, "list the devices, and the drivers that were refused", "error"},
    {"run", hy_cmd_run, "run a model once and show or store the outputs", BUT_REFUSALS},
    {"bench", hy_cmd_bench, "measure the time to compile and to run a model", BUT_REFUSALS},
    {"compile", hy_cmd_compile, "compile a model ahead of time, into a cache directory",
     BUT_REFUSALS},
    {"inspect", hy_cmd_inspect, "show the contents of a model, and obstacles to running", "none"},
    {"explain", hy_cmd_explain, "show the device of each operation of a model, and why",
     BUT_REFUSALS},
    {"conformance", hy_cmd_conformance, "run test vectors on a device", "warning:cache"},
    {"cache", hy_cmd_cache, "list, check and clear the cache of compilations", BUT_REFUSALS},
    {"check-driver", hy_cmd_check_driver, "check a driver against the rules", "warning:driver"},
};

#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static void print_help(FILE *to)
{
    fputs("Usage: halyard COMMAND [ARGUMENT]...\n\n"
          "Neural networks on this machine's devices, through the Neural Networks API.\n\n"
          "Commands:\n",
          to);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-14s%s\n", commands[i].name, commands[i].about);
    fputs("\n'halyard COMMAND --help' describes a command; --version prints the version.\nExit "
          "status: 0 success, 1 failure, 2 wrong command line.\n",
          to);
}

static void print_list(void)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("%s\t%s\n", commands[i].name, commands[i].about);
}

static int refuse(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    const char *near = hy_near_name(name, names, COMMAND_COUNT);
    fprintf(stderr, "halyard: unknown command '%s'%s%s%s\nTry 'halyard --help'.\n", name,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return HY_EXIT_WRONG;
}

static int run_global_option(const char *option)
{
    if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0 || strcmp(option, "help") == 0)
        print_help(stdout);
    else if (strcmp(option, "--version") == 0 || strcmp(option, "version") == 0)
        printf("halyard %s\n", halyard_version());
    else if (strcmp(option, "--list-commands") == 0)
        print_list();
    else
        return refuse(option);
    return hy_exit_written(option);
}

/* A command stopped by a signal ends by the signal. */
static int run_command(const struct command *command, int argc, char **argv)
{
    setenv("HALYARD_LOG", command->log, 0);
    const int status = command->run(argc, argv);

    hy_interrupt_end();
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return HY_EXIT_WRONG;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return run_command(&commands[i], argc - 1, argv + 1);
    return run_global_option(argv[1]);
}
