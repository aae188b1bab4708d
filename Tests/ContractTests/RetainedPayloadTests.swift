import Testing

@testable import Bytes
@testable import Contract
@testable import Rowing

/// Compares retained and live messages with their expected text.
@Suite struct RetainedPayloadTests {
    private static let boot = #","boot_id":"5b1f5b1f5b1f5b1f5b1f5b1f5b1f5b1f","boot_ms":900120"#

    private func head(_ kind: String, erg: Bool) -> String {
        #"{"v":1,"kind":"\#(kind)","gw":"boathouse","# + (erg ? #""erg":"seat-3","# : "")
            + #""ts_ms":1788627900120,"time":"2026-09-05T17:05:00.120Z","clock":"synced""#
    }

    @Test func live() {
        var json = JSONWriter()
        for _ in 0..<2 {  // the second time into the reused buffer
            #expect(
                Sample.livePayload(into: &json) == head("live", erg: true)
                    + #","live_seq":99,"state":"rowing","elapsed_s":42.10,"distance_m":187.3,"#
                    + #""stroke_rate_spm":26,"pace_s_per_500m":112.17,"power_w":248,"#
                    + #""heart_rate_bpm":158,"drag_factor":129,"stroke_phase":"drive","#
                    + #""avg_pace_s_per_500m":112.39,"rest_time_s":30.00,"rest_distance_m":12.0,"#
                    + #""speed_m_per_s":4.457}"#)
        }
    }

    @Test func liveInIntervals() {
        var json = JSONWriter()
        let interval =
            #","interval":2,"interval_elapsed_s":105.30,"interval_distance_m":500.0,"#
            + #""interval_avg_pace_s_per_500m":105.30,"interval_count":8,"#
        let remainders = [
            #""remaining_distance_m":312.7}"#, #""remaining_time_s":47.00}"#,
            #""remaining_calories_kcal":12}"#,
        ]
        for (sample, remainder) in zip(Sample.intervalLives, remainders) {
            #expect(Sample.livePayload(sample, into: &json).hasSuffix(interval + remainder))
        }
    }

    @Test func stateOfEqualIntervalsInARest() {
        let station = StationState(
            activity: .resting, session: Sample.session, workout: Sample.equalIntervals,
            interval: Sample.rested)
        #expect(
            Sample.retained(StationReport(station: station), of: Sample.erg)
                == head("state", erg: true)
                + #","state":"resting","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","#
                + #""session_type":"intervals","workout":"fixed_distance_interval","#
                + #""target_distance_m":500.0,"interval_count":8,"interval_rest_s":60,"#
                + #""interval":2,"interval_elapsed_s":105.30,"interval_distance_m":500.0,"#
                + #""interval_avg_pace_s_per_500m":105.30}"#)
    }

    @Test func staleLiveOmitsMomentaryValues() {
        var json = JSONWriter()
        #expect(
            Sample.livePayload(Sample.staleLive, into: &json) == head("live", erg: true)
                + #","live_seq":99,"state":"rowing","stale":true,"elapsed_s":42.10,"#
                + #""distance_m":187.3}"#)
    }

    @Test func state() {
        let station = StationState(
            activity: .rowing, session: Sample.session, workout: Sample.workout)
        #expect(
            Sample.retained(StationReport(station: station, athlete: "a-17"), of: Sample.erg)
                == head("state", erg: true)
                + #","state":"rowing","session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","#
                + #""athlete_id":"a-17","session_type":"distance","#
                + #""workout":"fixed_distance_with_splits","target_distance_m":500.0}"#)
        let idle = StationState(activity: .idle)
        #expect(
            Sample.retained(
                StationReport(station: idle, monitorConnection: .parked(.noSlot("no free slot"))),
                of: Sample.erg)
                == head("state", erg: true)
                + #","state":"parked","reason":"no free slot","reason_code":"adapters_full"}"#)
    }

    @Test func info() {
        #expect(
            Sample.retained(Sample.monitor, of: Sample.erg) == head("info", erg: true)
                + #","serial":"430012345","address":"F4:30:00:00:00:01","adapter":"hci0","#
                + #""model":"PM5","manufacturer":"Concept2","hardware":"907","#
                + #""firmware":"218.013","machine_type":"model_d","battery_pct":64,"#
                + #""capabilities":["0031","003E"]}"#)
    }

    @Test func birth() {
        #expect(
            Sample.retained(Sample.birth, of: nil) == head("birth", erg: false) + Self.boot
                + #","version":"1.0.0","epoch":"01J0EP0CH000000000000000AA","ergs":["seat-3"],"#
                + #""discovery":"listed","#
                + #""next_seq":{"erg/seat-3/stroke":63,"event":3},"#
                + #""oldest_seq":{"erg/seat-3/stroke":12,"event":1}}"#)
    }

    @Test func parsesStreamPositions() throws {
        func fields(_ body: some RetainedBody, of station: StationID?) throws -> JSONObject {
            let text = Sample.retained(body, of: station)
            return try #require(try JSONObject(parsing: Array(text.utf8)))
        }
        let (epoch, streams) = try #require(
            Birth.positions(in: try fields(Sample.birth, of: nil)))
        #expect(epoch == Sample.epoch && streams == Sample.birth.streams)
        let positions = StreamPositions(epoch: Sample.epoch, last: [.stroke: 62, .session: 4])
        #expect(StreamPositions(try fields(positions, of: Sample.erg)) == positions)
    }

    @Test func health() {
        #expect(
            Sample.retained(Sample.health, of: nil) == head("health", erg: false)
                + #","status":"degraded","reasons":["seat-3: low; put in new cells","#
                + #""7 records were lost"],"problems":[{"code":"battery","severity":"warning","#
                + #""erg":"seat-3","text":"seat-3: low","remedy":"put in new cells"},"#
                + #"{"code":"records_lost","severity":"warning","text":"7 records were lost"}],"#
                + #""adapters_up":1,"#
                + #""slots_used":7,"slots_total":7,"ergs_online":7,"ergs_asleep":1,"ergs_configured":8,"#
                + #""broker_connected":true,"broker_certificate_end_ms":1800000000000,"#
                + #""own_certificate_end_ms":0,"backlog_messages":12,"backlog_age_s":3,"#
                + #""rejected_total":0,"unsubscribed_total":4,"too_long_total":2,"#
                + #""left_out":["rowgate/v1/boathouse/erg/seat-1/force"],"commands_rejected_total":1,"#
                + #""ring_used_pct":1.5,"ring_reach_s":187200,"ring_dropped_total":0,"disk_behind_s":0,"#
                + #""commit_worst_ms":31,"load_step":1,"queue_delay_ms":240,"cpu_pct":93,"#
                + #""disk_free_bytes":5000000000,"cpu_temp_c":51.2,"#
                + #""undervoltage":false,"notifications_per_s":80.1,"publish_p99_ms":4,"#
                + #""event_last_seq":2,"alert_last_seq":2,"room_rollup_last_seq":7,"#
                + #""crew_rollup_last_seq":5,"erg_rssi_dbm":{"seat-3":-61},"#
                + #""erg_link_age_s":{"seat-3":4210},"erg_notifications_per_s":{"seat-3":10.2},"#
                + #""erg_silence_s":{"seat-3":0.3},"erg_reconnects_total":{"seat-3":2,"seat-4":0},"#
                + #""erg_battery_pct":{"seat-3":64},"#
                + #""adapter_links":{"B8:27:EB:00:00:01":7,"B8:27:EB:00:00:02":0},"#
                + #""adapter_links_max":{"B8:27:EB:00:00:01":7},"#
                + #""adapter_power_cycles_total":{"B8:27:EB:00:00:01":1,"B8:27:EB:00:00:02":0},"#
                + #""adapter_rx_bytes":{"B8:27:EB:00:00:01":123456},"#
                + #""adapter_tx_bytes":{"B8:27:EB:00:00:01":7890},"#
                + #""adapter_errors_total":{"B8:27:EB:00:00:01":2}}"#)
        let nothing = [
            "erg_rssi_dbm", "erg_link_age_s", "erg_notifications_per_s", "erg_silence_s",
            "erg_reconnects_total", "erg_battery_pct", "adapter_links", "adapter_links_max",
            "adapter_power_cycles_total", "adapter_rx_bytes", "adapter_tx_bytes",
            "adapter_errors_total",
        ].map { #","\#($0)":{}"# }.joined()
        #expect(
            Sample.retained(Health(status: .ok), of: nil)
                == head("health", erg: false) + #","status":"ok","reasons":[]"# + nothing + "}")
    }

    @Test func clockAndMarks() {
        #expect(
            Sample.retained(ClockReport(), of: nil) == head("clock", erg: false) + Self.boot + "}")
        #expect(
            Sample.retained(
                StreamPositions(
                    epoch: "01J0EP0CH000000000000000AA", last: [.stroke: 62, .session: 4]),
                of: Sample.erg)
                == head("marks", erg: true)
                + #","epoch":"01J0EP0CH000000000000000AA","session_last_seq":4,"stroke_last_seq":62}"#
        )
        #expect(Availability.online.payload == Array("online".utf8))
    }
}
