/* The list of all services of this process, for the fork handlers. */
#include "plugins/service/client/service_parts.h"

#include "common/list.h"
#include "plugins/service/process/fork.h"

static struct {
    pthread_mutex_t lock;
    LIST_HEAD(, hy_service) list;
} services = {.lock = PTHREAD_MUTEX_INITIALIZER};

void hy_services_list_add(struct hy_service *service)
{
    pthread_mutex_lock(&services.lock);
    LIST_INSERT_HEAD(&services.list, service, entry);
    pthread_mutex_unlock(&services.lock);
}

void hy_services_list_remove(struct hy_service *service)
{
    pthread_mutex_lock(&services.lock);
    HY_LIST_REMOVE(service, entry);
    pthread_mutex_unlock(&services.lock);
}

/* ---- fork() ---------------------------------------------------------------------------------- */

void hy_services_fork_before(void)
{
    struct hy_service *service;

    pthread_mutex_lock(&services.lock);
    LIST_FOREACH (service, &services.list, entry) {
        pthread_mutex_lock(&service->lock);
        if (service->connection)
            hy_connection_fork_before(service->connection);
    }
    hy_processes_fork(HY_SERVICE_FORK_BEFORE);
}

static void give_back(bool is_child)
{
    struct hy_service *service;

    LIST_FOREACH (service, &services.list, entry) {
        if (service->connection)
            hy_connection_fork_after(service->connection, is_child);
        /* The child has neither the thread that was starting a process nor the threads that
         * waited. */
        if (is_child) {
            pthread_cond_init(&service->start_is_over, NULL);
            service->is_starting = false;
            service->delay = service->next_start = 0;
        }
        pthread_mutex_unlock(&service->lock);
    }
    pthread_mutex_unlock(&services.lock);
}

void hy_services_fork_parent(void)
{
    hy_processes_fork(HY_SERVICE_FORK_PARENT);
    give_back(false);
}

void hy_services_fork_child(void)
{
    hy_processes_fork(HY_SERVICE_FORK_CHILD);
    give_back(true);
}
