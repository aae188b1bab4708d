import ControlSocket

extension StatusReply {
    /// A room with something of everything: every optional field is set somewhere.
    ///
    /// A test of the gateway creates the same from a snapshot, which ensures that a running gateway
    /// can send it.
    package static let sample: StatusReply = {
        var broker = Broker(
            host: "hub.local", port: 1883, isConnected: false, backlogMessages: 12,
            publishedTotal: 18_230, rejectedTotal: 0, unsubscribedTotal: 41)
        broker.sinceSeconds = 95.5
        broker.backlogAgeSeconds = 94.25
        broker.lastError = "connection refused"
        var ring = Ring(
            path: "/var/lib/rowgate/ring.log", sizeBytes: 256 << 20, usedPercent: 3.1,
            droppedTotal: 7)
        ring.behindSeconds = 1.5
        ring.worstCommitSeconds = 3.25
        ring.reachSeconds = 187_200.5
        ring.lastError = "fdatasync: Input/output error"
        var gateway = Gateway(
            id: "boathouse", version: "0.1.0", epoch: "01JD3W9Q4ZK7M2N8P5R6S7T8V9",
            bootID: "5f0c9c1e7d3b4a5f8e2d1c0b9a8f7e6d", uptimeSeconds: 11_534,
            clockIsSynchronized: true)
        gateway.loadStep = 1
        gateway.queueDelaySeconds = 0.24
        gateway.cpuPercent = 97
        var backlog = Alert(
            id: "01JD3WC0A2C4E6G8J0K2M4N6PA", rule: "backlog", severity: "warning",
            ageSeconds: 34.25)
        (backlog.value, backlog.threshold) = (70, 60)
        (backlog.acknowledgedAgeSeconds, backlog.acknowledgedBy) = (8.5, "anna")
        gateway.alerts = [backlog]
        gateway.alertsTotal = 2
        var roster = Roster(source: "logbook", athletes: 24, ergsOfOthers: ["erg-2"])
        (roster.logbook, roster.receivedMilliseconds) = ("club", 1_790_000_000_000)
        gateway.roster = roster
        gateway.announcement = "announced as \"rowgate boathouse\" at boathouse.local"
        let problems = [
            problem("adapter", "adapter hci1 is switched off", "bluetoothctl power on"),
            problem(
                "adapter",
                "phones cannot find the relay of PM5 430000009: bluetoothd refuses it on hci3: "
                    + "Failed to register advertisement",
                "for details: sudo rowgatectl doctor"),
            problem(
                "link", erg: "erg-3", "erg-3: hci0 holds 3 of 3 links",
                "plug in another Bluetooth adapter, or release an unused erg"),
            problem(
                "battery", erg: "erg-6", "erg-6: its monitor's batteries are at 9 %",
                "put in two new D cells"),
            problem(
                "broker", "no connection to the broker hub.local:1883: connection refused",
                "for details: sudo rowgatectl doctor"),
            problem("ring", "the ring log is not on disk: fdatasync: Input/output error"),
            problem(
                "load",
                "rowgate cannot keep up: work is delayed, the processor is busy; so "
                    + "live values come once a second, and strokes, splits and results stay complete",
                "for remedies: sudo rowgatectl doctor"),
            problem("records_lost", "7 unpublished records were lost"),
        ]
        var status = StatusReply(
            status: .degraded,
            reasons: problems.map { [$0.text, $0.remedy].compactMap(\.self).joined(separator: "; ") },
            gateway: gateway,
            bus: Bus(
                isConnected: true, lastError: "adapter hci1 is switched off", serviceRestarts: 1),
            adapters: [
                .busy,
                Adapter(
                    address: "00:1A:7D:DA:71:13", name: "hci1", isPowered: false, slotsUsed: 0),
            ],
            broker: broker, ring: ring,
            ergs: [.rowing, .idle, .parked, .searching, .released, .asleep],
            crews: [Crew(name: "pair", ergs: ["erg-1", "erg-2"])])
        status.problems = problems
        status.relays = [
            Relay(adapter: "hci2", serial: "430000001", state: "connected"),
            Relay(
                adapter: "hci3", serial: "430000009", state: "refused",
                problem: "Failed to register advertisement"),
            Relay(adapter: "hci4", serial: nil, state: "waiting_for_monitor"),
        ]
        return status
    }()

    private static func problem(
        _ code: String, erg: String? = nil, _ text: String, _ remedy: String? = nil
    ) -> Problem {
        Problem(code: code, severity: "warning", erg: erg, text: text, remedy: remedy)
    }
}

extension StatusReply.Adapter {
    package static let busy: StatusReply.Adapter = {
        var adapter = StatusReply.Adapter(
            address: "B8:27:EB:01:02:03", name: "hci0", isPowered: true, slotsUsed: 3,
            slotsTotal: 3)
        adapter.foreignLinks = 1
        adapter.bytesReceived = 48_213_007
        adapter.bytesSent = 51_300
        adapter.errors = 2
        adapter.powerCycles = 1
        return adapter
    }()
}

extension StatusReply.Erg {
    package static let rowing: StatusReply.Erg = {
        var link = StatusReply.Link(phase: .streaming, reconnects: 1)
        link.adapter = "hci0"
        link.rssiDBm = -61
        link.ageSeconds = 723
        link.notificationsPerSecond = 14.3
        link.resubscriptions = 1
        link.removals = 1
        link.silenceSeconds = 0.12
        link.lastFailure = "le-connection-abort-by-local"
        var erg = StatusReply.Erg(
            slug: "erg-1", serial: "430000001", link: link, undecodableTotal: 2)
        erg.machineType = "model_d"
        erg.state = "rowing"
        erg.sessionID = "01JD3WB6J2T4V6X8Z0A2C4E6G8"
        erg.elapsedSeconds = 123.46
        erg.distanceMeters = 512.34
        erg.paceSecondsPer500m = 119.96
        erg.strokeRate = 24
        erg.powerWatts = 203
        erg.heartRate = 142
        (erg.paceVsTarget, erg.powerVsTarget) = ("below", "in")
        (erg.strokeRateVsTarget, erg.heartRateVsTarget) = ("above", "in")
        erg.batteryPercent = 64
        (erg.clockOffsetSeconds, erg.clockSettings) = (-75, 2)
        var alert = StatusReply.Alert(
            id: "01JD3WC0A2C4E6G8J0K2M4N6P8", rule: "off_pace", severity: "warning",
            ageSeconds: 12.5)
        (alert.value, alert.threshold) = (126.5, 122)
        alert.sessionID = erg.sessionID
        erg.alerts = [alert]
        erg.alertsTotal = 3
        return erg
    }()

    package static let idle: StatusReply.Erg = {
        var link = StatusReply.Link(phase: .streaming)
        link.adapter = "hci0"
        link.rssiDBm = -70
        link.ageSeconds = 11_500
        link.notificationsPerSecond = 4
        link.silenceSeconds = 0.4
        var erg = StatusReply.Erg(slug: "erg-2", serial: "430000002", link: link)
        erg.state = "idle"
        return erg
    }()

    package static let parked: StatusReply.Erg = {
        var link = StatusReply.Link(phase: .parked)
        link.parkedReason = "hci0 holds 3 of 3 links"
        link.advice =
            "hci0 holds 3 of 3 links; plug in another Bluetooth adapter, or release an unused "
            + "erg"
        return StatusReply.Erg(slug: "erg-3", serial: "430000003", link: link)
    }()

    package static let released: StatusReply.Erg = {
        var link = StatusReply.Link(phase: .released)
        link.releaseReason = "on request"
        link.releasedForSeconds = 840
        link.advice =
            "released to a phone app; wait until the time is over, or take it back: rowgatectl "
            + "release erg-5 --take-back"
        return StatusReply.Erg(slug: "erg-5", serial: "430000005", link: link)
    }()

    package static let asleep: StatusReply.Erg = {
        var link = StatusReply.Link(phase: .asleep)
        link.sleepReason = "unused for 15 min"
        link.advice =
            "asleep after a time without use; row or press a button to reconnect it; otherwise "
            + "press Connect on it"
        var erg = StatusReply.Erg(slug: "erg-6", serial: "430000006", link: link)
        erg.batteryPercent = 9
        erg.isBatteryLow = true
        erg.alerts = [
            StatusReply.Alert(
                id: "01JD3WC0A2C4E6G8J0K2M4N6P9", rule: "battery_low", severity: "warning",
                ageSeconds: 7200)
        ]
        erg.alertsTotal = 1
        return erg
    }()

    package static let searching: StatusReply.Erg = {
        var link = StatusReply.Link(phase: .searching)
        link.advice =
            "no signal yet; wake the monitor with any button, disconnect phones, and check the "
            + "serial number: More Options, Utilities, Product ID"
        return StatusReply.Erg(slug: "erg-4", link: link)
    }()
}
