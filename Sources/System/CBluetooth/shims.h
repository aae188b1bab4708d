#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <string.h>
#include <sys/ioctl.h>

/* The ioctl numbers are _IOR macros and the requests end in flexible arrays; Swift imports neither. */

/* Numbers of the adapters that are there, up or down; -1 when the kernel will not say. */
static inline int rg_hci_devices(int handle, uint16_t *numbers, int capacity)
{
    struct {
        struct hci_dev_list_req head;
        struct hci_dev_req rest[HCI_MAX_DEV];
    } request;
    memset(&request, 0, sizeof request);
    request.head.dev_num = HCI_MAX_DEV;
    if (ioctl(handle, HCIGETDEVLIST, &request) < 0)
        return -1;
    int count = request.head.dev_num < capacity ? request.head.dev_num : capacity;
    for (int i = 0; i < count; i++)
        numbers[i] = request.head.dev_req[i].dev_id;
    return count;
}

/* Address, flags and counters of one adapter; -1 when the kernel will not say. */
static inline int rg_hci_describe(int handle, uint16_t number, struct hci_dev_info *description)
{
    memset(description, 0, sizeof *description);
    description->dev_id = number;
    return ioctl(handle, HCIGETDEVINFO, description);
}

/* Links of one adapter that stand (BT_CONNECTED), of any kind; -1 when the kernel will not say. */
static inline int rg_hci_link_count(int handle, uint16_t number)
{
    enum { most = 32 };
    struct {
        struct hci_conn_list_req head;
        struct hci_conn_info rest[most];
    } request;
    memset(&request, 0, sizeof request);
    request.head.dev_id = number;
    request.head.conn_num = most;
    if (ioctl(handle, HCIGETCONNLIST, &request) < 0)
        return -1;
    int count = 0;
    for (int i = 0; i < request.head.conn_num; i++)
        count += request.head.conn_info[i].state == BT_CONNECTED;
    return count;
}
