import Testing

@testable import Contract
@testable import MQTTClient
@testable import Publishing
@testable import Timeline

/// The states of a connection, and how failures are reported.
struct ConnectionStateTests {
    private static let refused = BrokerFailure(
        operation: "connect", broker: "b:1883", cause: "Connection refused")
    private static let announcement = ConnectionState.Announcement(
        notice: BirthNotice(payload: [], nextSequences: [:]), window: 20)

    private func online(
        _ state: inout ConnectionState, at now: BootInstant
    ) -> ConnectionState.Announcement? {
        state.connecting()
        guard state.accepted(BrokerLimits()), state.announce(Self.announcement, in: state.generation)
        else {
            return nil
        }
        return state.wentOnline(at: now)
    }

    private static let configuration = BrokerConfiguration(host: "b", clientID: "c")

    @Test func ignoresLateEvents() {
        var state = ConnectionState(Self.configuration)
        let now = BootInstant(nanoseconds: 0)
        var (wasAccepted, announcement) = (state.accepted(BrokerLimits()), state.wentOnline(at: now))
        #expect(!wasAccepted && announcement == nil, "before any attempt")
        state.connecting()
        let first = state.generation
        (wasAccepted, announcement) = (state.accepted(BrokerLimits()), state.wentOnline(at: now))
        #expect(wasAccepted && announcement == nil, "before the birth")
        wasAccepted = state.accepted(BrokerLimits())
        state.invalidate()
        let isAnnounced = state.announce(Self.announcement, in: first)
        #expect(!wasAccepted && !isAnnounced)
        var terms = BrokerLimits()
        terms.certificates = CertificateExpiry(broker: 1)
        #expect(!state.accepted(terms) && state.certificates == CertificateExpiry())
        #expect(online(&state, at: now)?.window == 20)
        #expect(state.generation > first && state.phase == .online)
        let isReplaced = state.replace()
        state.connecting()
        let isReplacedTwice = state.replace()
        #expect(isReplaced && !isReplacedTwice, "the birth is not requested yet")
        let isUp = state.stopping()
        #expect(!isUp && state.phase == .stopping)
    }

    /// Connections of 4 s and 60 s in between: a short one suggests a second client with the same id, a
    /// long one resets the backoff.
    @Test func reportsAFailureOnceAndBacksOff() {
        var state = ConnectionState(Self.configuration)
        let start = BootInstant(nanoseconds: 0)
        let retries = (0..<7).map { _ in state.failed(Self.refused, at: start, chance: 0) }
        #expect(retries.map(\.isNewReason) == [true] + Array(repeating: false, count: 6))
        #expect(retries.map(\.delay) == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        #expect(state.phase == .waiting && state.lastFailure == Self.refused)

        #expect(online(&state, at: start) != nil && state.lastFailure == nil)
        var cut = Self.refused
        cut.kind = .cutOff
        let quick = state.failed(cut, at: start.advanced(by: .seconds(4)), chance: 0)
        #expect(quick.isNewReason && quick.delay == .seconds(30))
        #expect(quick.failure.remedy?.contains("broker.client_id") == true)

        #expect(online(&state, at: start) != nil)
        let unreadable = BrokerFailure.unreadable(
            "stay connected", BrokerConfiguration(host: "b", clientID: "c"), code: 1, detail: nil)
        let malformed = state.failed(unreadable, at: start.advanced(by: .seconds(1)), chance: 0)
        #expect(malformed.failure == unreadable, "a malformed packet does not suggest a second client")
        let text = "\(unreadable)"
        #expect(text.contains("it sent a packet that MQTT does not allow"))
        #expect(text.contains("with broker.tls = true nobody in between can send it"))

        #expect(online(&state, at: start) != nil)
        let steady = state.failed(Self.refused, at: start.advanced(by: .seconds(60)), chance: 0)
        #expect(steady.failure == Self.refused && steady.delay == .seconds(1))
    }
}
