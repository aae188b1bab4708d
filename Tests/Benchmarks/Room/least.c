// A minimal gateway: one thread that reads the notifications of monitors and publishes them.
//
//   least PORT DESCRIPTOR:CHARACTERISTIC:MONITOR ...
//
// Publishes strokes with QoS 1 and live values with QoS 0, with the time of reception. No bus,
// ring, sessions or recovery: least.py acquires and passes the descriptors. Prints a line at its start,
// and the number of notifications on SIGUSR1.
#define _GNU_SOURCE
#include <mosquitto.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_2 = 0x33, STROKE = 0x35, MONITORS = 8 };

struct source {
    int descriptor, characteristic, monitor;
};

static struct mosquitto *broker;
static long notifications;

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void publish(const struct source *source, const char *kind, const char *name, int value,
                    double elapsed_s, int qos) {
    char topic[64], body[256];
    snprintf(topic, sizeof topic, "least/%d/%s", source->monitor, kind);
    int length = snprintf(body, sizeof body, "{\"ts_ms\":%ld,\"v\":1,\"elapsed_s\":%.2f,\"%s\":%d}",
                          now_ms(), elapsed_s, name, value);
    mosquitto_publish(broker, NULL, topic, length, body, qos, false);
}

static void take(const struct source *source) {
    unsigned char value[64] = {0};
    if (recv(source->descriptor, value, sizeof value, MSG_DONTWAIT) <= 0) return;
    notifications += 1;
    double elapsed_s = (value[0] | value[1] << 8 | value[2] << 16) / 100.0;
    if (source->characteristic == STATUS_2)
        publish(source, "live", "power_w", value[4] | value[5] << 8, elapsed_s, 0);
    if (source->characteristic == STROKE)
        publish(source, "stroke", "n", value[18] | value[19] << 8, elapsed_s, 1);
}

static int wait_for(int descriptor, void *source) {
    static int waiting = -1;
    if (waiting < 0) waiting = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};
    epoll_ctl(waiting, EPOLL_CTL_ADD, descriptor, &event);
    return waiting;
}

int main(int count, char **words) {
    sigset_t asked;
    sigemptyset(&asked);
    sigaddset(&asked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &asked, NULL);
    int question = signalfd(-1, &asked, 0);
    mosquitto_lib_init();
    broker = mosquitto_new(NULL, true, NULL);
    mosquitto_int_option(broker, MOSQ_OPT_TCP_NODELAY, 1);
    if (count < 3 || mosquitto_connect(broker, "127.0.0.1", atoi(words[1]), 60)) return 1;
    for (int word = 2; word < count; word += 1) {
        struct source *source = malloc(sizeof *source);
        if (sscanf(words[word], "%d:%x:%d", &source->descriptor,
                   (unsigned *)&source->characteristic, &source->monitor) != 3) return 1;
        wait_for(source->descriptor, source);
    }
    wait_for(question, &question);
    int waiting = wait_for(mosquitto_socket(broker), NULL);
    puts("streaming");
    fflush(stdout);
    for (;;) {
        struct epoll_event events[MONITORS];
        int ready = epoll_wait(waiting, events, MONITORS, 1000);
        for (int event = 0; event < ready; event += 1) {
            void *source = events[event].data.ptr;
            struct signalfd_siginfo info;
            if (source == NULL) mosquitto_loop_read(broker, 1);
            else if (source != &question) take(source);
            else if (read(question, &info, sizeof info) > 0) {
                printf("notifications %ld\n", notifications);
                fflush(stdout);
            }
        }
        if (mosquitto_want_write(broker)) mosquitto_loop_write(broker, 1);
        if (mosquitto_loop_misc(broker)) return 1;
    }
}
