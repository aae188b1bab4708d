import Contract
import Testing

@testable import Gateway
@testable import Rowing
@testable import Timeline

/// Why an erg sends no data, and what to do.
struct LinkAdviceTests {
    private let now = BootInstant(nanoseconds: 1_000_000_000_000)

    private func station(
        _ phase: LinkPhase, connects: Int = 1, failures: Int = 0,
        silentFor silence: Duration = .zero
    ) throws -> StationSnapshot {
        var link = LinkStatus(phase: phase)
        link.connects = connects
        link.failures = failures
        link.lastFailure = failures > 0 ? "connect timed out after 20 s" : nil
        return StationSnapshot(
            station: try #require(StationID("erg-3")), serial: "430000003", link: link,
            openSince: phase == .streaming ? now.advanced(by: .seconds(-60)) : nil,
            lastValue: now.advanced(by: .zero - silence), valueRate: .zero,
            state: StationState(activity: .idle), live: nil, undecodable: 0, lostEvents: 0)
    }

    @Test func everyErgWithoutDataHasAReasonAndARemedy() throws {
        let cases: [(StationSnapshot, String, String)] = [
            (try station(.searching, connects: 0), "no signal yet", "serial number"),
            (try station(.searching), "no signal since", "wake the monitor"),
            (try station(.parked(.noSlot("hci0 holds 7 of 7 links"))), "7 of 7", "plug in"),
            (try station(.parked(.contested)), "keeps connecting", "[[erg]]"),
            (
                try station(.released(MonitorRelease(until: nil))), "released",
                "take it back"
            ),
            (try station(.asleep(after: .seconds(900))), "without use", "press Connect"),
            (try station(.connecting, failures: 12), "timed out after 20 s", "off and on"),
            (try station(.streaming, silentFor: .seconds(6)), "no values arrive", "reconnected"),
        ]
        for (station, reason, remedy) in cases {
            let advice = try #require(LinkAdvice(station, at: now))
            #expect(advice.reason.contains(reason), "\(advice)")
            #expect(advice.remedy.contains(remedy), "\(advice)")
        }
    }

    @Test func connectingErgsNeedNoAdvice() throws {
        for phase in [LinkPhase.waiting, .connecting, .resolving, .subscribing, .streaming] {
            #expect(LinkAdvice(try station(phase, failures: 3), at: now) == nil)
        }
    }
}
