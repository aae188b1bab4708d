import Rowing
import Testing

@testable import MQTTPublishing

/// The retained messages and the live one, whole, against text written by hand.
@Suite struct RetainedPayloadTests {
    private static let boot = #","boot_id":"5b1f","boot_ms":900120"#

    private func head(_ kind: String, erg: Bool) -> String {
        #"{"v":1,"kind":"\#(kind)","gw":"boathouse","# + (erg ? #""erg":"seat-3","# : "")
            + #""ts_ms":1788627900120,"time":"2026-09-05T17:05:00.120Z","clock":"synced""#
    }

    private func payload(_ body: some RetainedBody, erg: Bool) -> String {
        String(
            decoding: body.payload(
                gateway: PayloadTests.gateway, station: erg ? PayloadTests.seat : nil,
                at: PayloadTests.now, clock: PayloadTests.clock), as: UTF8.self)
    }

    @Test func live() {
        var sample = MetricsSample(
            at: PayloadTests.now, state: .rowing, elapsed: .centiseconds(4_210),
            distance: Meters(decimeters: 1873))
        sample.strokeRate = 26
        sample.pace = Pace(centisecondsPer500m: 11_217)
        sample.averagePace = Pace(centisecondsPer500m: 11_239)
        sample.powerWatts = 248
        sample.heartRate = 158
        sample.dragFactor = 129
        sample.strokePhase = .driving
        sample.rest = .seconds(30)
        sample.restDistance = Meters(12)
        sample.speedMillimetersPerSecond = 4_457
        var json = JSONWriter()
        let live = LivePayload(
            gateway: PayloadTests.gateway, station: PayloadTests.seat, sequence: 99, sample: sample,
            clock: PayloadTests.clock)
        for _ in 0..<2 {  // the second time into the reused buffer
            live.encode(into: &json)
            #expect(
                String(decoding: json.bytes, as: UTF8.self) == head("live", erg: true)
                    + #","live_seq":99,"state":"rowing","elapsed_s":42.10,"distance_m":187.3,"#
                    + #""stroke_rate_spm":26,"pace_s_per_500m":112.17,"power_w":248,"#
                    + #""heart_rate_bpm":158,"drag_factor":129,"stroke_phase":"drive","#
                    + #""avg_pace_s_per_500m":112.39,"rest_time_s":30.00,"rest_distance_m":12.0,"#
                    + #""speed_m_per_s":4.457}"#)
        }
    }

    @Test func state() {
        let station = StationState(
            activity: .rowing, session: PayloadTests.session, workout: PayloadTests.workout)
        #expect(
            payload(StationReport(station: station, athlete: "a-17"), erg: true)
                == head("state", erg: true)
                + #","state":"rowing","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","#
                + #""athlete_id":"a-17","session_type":"distance","#
                + #""workout":"fixed_distance_with_splits","target_distance_m":500.0}"#)
        let idle = StationState(activity: .idle)
        #expect(
            payload(
                StationReport(station: idle, presence: .parked(reason: "no free slot")), erg: true)
                == head("state", erg: true) + #","state":"parked","reason":"no free slot"}"#)
    }

    @Test func info() {
        var monitor = MonitorIdentity(
            serial: "430012345", address: "F4:30:00:00:00:01", adapter: "hci0")
        monitor.firmwareRevision = "218.013"
        monitor.machineType = .modelD
        monitor.notifying = [.generalStatus, .additionalStatus3]
        #expect(
            payload(monitor, erg: true) == head("info", erg: true)
                + #","serial":"430012345","address":"F4:30:00:00:00:01","adapter":"hci0","#
                + #""firmware":"218.013","machine_type":"model_d","capabilities":["0031","003E"]}"#)
    }

    @Test func birth() {
        let birth = Birth(
            version: "1.0.0", epoch: "01J0EPOCH", stations: [PayloadTests.seat],
            streams: [
                StreamID(station: nil, kind: .event): .init(next: 3, oldest: 1),
                StreamID(station: PayloadTests.seat, kind: .stroke): .init(next: 63, oldest: 12),
            ])
        #expect(
            payload(birth, erg: false) == head("birth", erg: false) + Self.boot
                + #","version":"1.0.0","epoch":"01J0EPOCH","ergs":["seat-3"],"#
                + #""next_seq":{"erg/seat-3/stroke":63,"event":3},"#
                + #""oldest_seq":{"erg/seat-3/stroke":12,"event":1}}"#)
    }

    @Test func health() {
        var health = Health(status: .degraded, reasons: ["adapter hci1 is down"])
        health.adaptersUp = 1
        health.slotsUsed = 7
        health.slotsTotal = 7
        health.ergsOnline = 7
        health.ergsConfigured = 8
        health.isBrokerConnected = true
        health.backlogMessages = 12
        health.backlogAgeSeconds = 3
        health.rejectedTotal = 0
        health.unsubscribedTotal = 4
        health.ringUsedPermille = 15
        health.ringDroppedTotal = 0
        health.diskFreeBytes = 5_000_000_000
        health.cpuTemperatureDecidegrees = 512
        health.isUndervoltage = false
        health.notificationsPerTenSeconds = 801
        health.publishLatency = .milliseconds(4)
        health.eventLastSequence = 2
        #expect(
            payload(health, erg: false) == head("health", erg: false)
                + #","status":"degraded","reasons":["adapter hci1 is down"],"adapters_up":1,"#
                + #""slots_used":7,"slots_total":7,"ergs_online":7,"ergs_configured":8,"#
                + #""broker_connected":true,"backlog_messages":12,"backlog_age_s":3,"#
                + #""rejected_total":0,"unsubscribed_total":4,"ring_used_pct":1.5,"#
                + #""ring_dropped_total":0,"disk_free_bytes":5000000000,"cpu_temp_c":51.2,"#
                + #""undervoltage":false,"notifications_per_s":80.1,"publish_p99_ms":4,"#
                + #""event_last_seq":2}"#)
        #expect(
            payload(Health(status: .ok), erg: false)
                == head("health", erg: false) + #","status":"ok","reasons":[]}"#)
    }

    @Test func clockAndMarks() {
        #expect(
            payload(ClockReport(), erg: false) == head("clock", erg: false) + Self.boot + "}")
        #expect(
            payload(Marks(epoch: "01J0EPOCH", last: [.stroke: 62, .session: 4]), erg: true)
                == head("marks", erg: true)
                + #","epoch":"01J0EPOCH","session_last_seq":4,"stroke_last_seq":62}"#)
        #expect(Availability.online.payload == Array("online".utf8))
    }
}
