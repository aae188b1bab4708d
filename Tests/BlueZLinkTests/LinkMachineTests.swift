import Rowing
import Testing
import Timeline

@testable import BlueZLink

/// One link's life, event by event.
struct LinkMachineTests {
    private let start = BootInstant(nanoseconds: 1_000_000_000)
    private let path = "/org/bluez/hci0/dev_F4_30_00_00_00_01"

    private func device(connected: Bool = false, resolved: Bool = false) -> DeviceObject {
        var device = DeviceObject(path: path)
        device.adapter = "/org/bluez/hci0"
        device.isConnected = connected
        device.areServicesResolved = resolved
        return device
    }

    private func machine() -> LinkMachine {
        LinkMachine(serial: "430000001", seed: 1, at: start)
    }

    private func after(_ seconds: Double) -> BootInstant {
        start.advanced(by: .seconds(seconds))
    }

    /// A machine that got as far as streaming, one second after the start.
    private func streaming() -> LinkMachine {
        var machine = machine()
        _ = machine.handle(.granted(device()), at: start)
        _ = machine.handle(.connectAnswered(nil), at: start)
        _ = machine.handle(.observed(device(connected: true, resolved: true)), at: start)
        _ = machine.handle(.servicesRead(complete: true), at: start)
        _ = machine.handle(.setUpEnded(nil), at: after(1))
        return machine
    }

    @Test func connectsReadsSetsUpAndOpens() {
        var machine = machine()
        let attempt = LinkAttempt(serial: "430000001", number: 1, path: path)
        #expect(machine.handle(.granted(device()), at: start) == [.connect(attempt)])
        #expect(machine.handle(.connectAnswered(nil), at: start) == [])
        #expect(machine.handle(.observed(device(connected: true)), at: start) == [])
        let resolved = device(connected: true, resolved: true)
        #expect(machine.handle(.observed(resolved), at: start) == [.readServices(attempt)])
        #expect(machine.handle(.observed(resolved), at: start) == [])
        #expect(machine.handle(.servicesRead(complete: true), at: start) == [.setUp(attempt)])
        #expect(machine.handle(.setUpEnded(nil), at: start) == [.open(attempt)])
        #expect(machine.connects == 1)
    }

    @Test func adoptedLinkSkipsConnect() {
        var machine = machine()
        let linked = device(connected: true, resolved: true)
        #expect(
            machine.handle(.adopted(linked), at: start) == [.readServices(machine.attempt)])
    }

    @Test func rereadsLateServicesUntilDeadline() {
        var machine = machine()
        _ = machine.handle(.adopted(device(connected: true, resolved: true)), at: start)
        #expect(machine.handle(.servicesRead(complete: false), at: start) == [])
        #expect(machine.handle(.tick, at: after(0.1)) == [])
        #expect(machine.handle(.tick, at: after(0.2)) == [.readServices(machine.attempt)])
        #expect(machine.handle(.tick, at: after(1)) == [])
        #expect(machine.handle(.servicesRead(complete: false), at: after(4.9)) == [])
        #expect(machine.handle(.tick, at: after(5)) == [.disconnect(machine.attempt)])
        #expect(machine.lastFailure?.kind == .servicesMissing)
    }

    @Test func removesStaleDeviceOnce() {
        // The device is removed after the second refused set-up in a row, not after the third.
        var machine = machine()
        var removals: [Bool] = []
        for number in 1...4 {
            let now = after(Double(number) * 60)
            _ = machine.handle(.adopted(device(connected: true, resolved: true)), at: now)
            _ = machine.handle(.servicesRead(complete: true), at: now)
            let failure = LinkFailure(.setUpRefused, "Operation failed with ATT error: 0x0a")
            let actions = machine.handle(.setUpEnded(failure), at: now)
            removals.append(actions.contains { if case .remove = $0 { true } else { false } })
            _ = machine.handle(.observed(nil), at: now)
        }
        #expect(removals == [false, true, false, false])
    }

    @Test func disconnectsOnceForStaleConnect() {
        var machine = machine()
        var disconnects = 0
        for number in 1...12 {
            let now = after(Double(number) * 60)
            _ = machine.handle(.granted(device()), at: now)
            let failure = LinkFailure(.busy, "In Progress")
            disconnects += machine.handle(.connectAnswered(failure), at: now).count
        }
        #expect(disconnects == 1)
        #expect(machine.failures == 12)
    }

    @Test func attemptNumbersIncrease() {
        var machine = machine()
        _ = machine.handle(.granted(device()), at: start)
        let first = machine.attempt
        _ = machine.handle(.observed(nil), at: start)
        _ = machine.handle(.granted(device()), at: after(60))
        #expect(machine.attempt != first)
        #expect(machine.attempt.number > first.number)
    }

    @Test func silenceCountsFromLastStatus() {
        var machine = streaming()
        _ = machine.handle(.statusReceived(after(10)), at: after(10))
        #expect(machine.handle(.tick, at: after(21.9)) == [])
        let attempt = machine.attempt
        #expect(
            machine.handle(.tick, at: after(22)) == [
                .close(attempt, .silent), .disconnect(attempt),
            ])
        #expect(!machine.prefersSignals)
    }

    @Test func strokesKeepLinkWithoutStatusOpen() {
        // A stroke every 3 s, for one minute or for five. A busy monitor may send no status for two
        // minutes.
        for strokes in [60.0, 300.0] {
            var machine = streaming()
            _ = machine.handle(.statusReceived(after(10)), at: after(10))
            var end: Double?
            for second in stride(from: 10.0, through: 300, by: 1) where end == nil {
                if second <= strokes, second.truncatingRemainder(dividingBy: 3) == 0 {
                    _ = machine.handle(.useDetected(after(second)), at: after(second))
                }
                let actions = machine.handle(.tick, at: after(second))
                if actions.contains(.close(machine.attempt, .silent)) { end = second }
            }
            #expect(end == (strokes == 60 ? 72 : 160))
        }
    }

    @Test func linkWithoutAnyStatusSwitchesToSignals() {
        var machine = streaming()
        #expect(machine.handle(.tick, at: after(5.9)) == [])
        #expect(machine.handle(.tick, at: after(6)).first == .close(machine.attempt, .silent))
        #expect(machine.prefersSignals)
    }

    @Test func endOfFileRetriesWithoutDisconnect() {
        var machine = streaming()
        let attempt = machine.attempt
        #expect(machine.handle(.streamEnded, at: after(2)) == [.close(attempt, .lost)])
        guard case .idle(let readyAt) = machine.state else {
            Issue.record("still \(machine.state)")
            return
        }
        #expect(after(2).duration(to: readyAt) < .seconds(1))
        #expect(machine.failures == 0)
    }

    @Test func cancelledConnectCountsAsUnreachable() {
        var machine = machine()
        _ = machine.handle(.granted(device()), at: start)
        #expect(
            machine.handle(.cancelConnect, at: after(8)) == [.disconnect(machine.attempt)])
        #expect(machine.handle(.cancelConnect, at: after(9)) == [])
        let failure = LinkFailure(.connectRefused, "br-connection-canceled")
        _ = machine.handle(.connectAnswered(failure), at: after(9))
        #expect(machine.lastFailure?.kind == .unreachable)
    }

    @Test func doesNotCancelYoungConnect() {
        var machine = machine()
        _ = machine.handle(.granted(device()), at: start)
        #expect(machine.handle(.released, at: after(1.9)) == [])
        #expect(machine.handle(.cancelConnect, at: after(1.9)) == [])
        var late = machine
        #expect(late.handle(.released, at: after(2)) == [.disconnect(late.attempt)])
        _ = machine.handle(.connectAnswered(nil), at: after(1.95))
        #expect(machine.handle(.released, at: after(1.95)) == [.disconnect(machine.attempt)])
    }

    @Test func removesDeviceAfterUnansweredDisconnect() {
        var machine = streaming()
        let attempt = machine.attempt
        #expect(
            machine.handle(.released, at: after(2)) == [
                .close(attempt, .ours), .disconnect(attempt),
            ])
        #expect(!machine.isUnanswered(at: after(11.9)))
        #expect(machine.isUnanswered(at: after(12)))
        #expect(machine.handle(.tick, at: after(12)) == [.remove(attempt)])
        #expect(!machine.isEngaged)
    }

    @Test(arguments: [LinkClosure.serviceLost, .adapterLost])
    func closesWithReasonAfterServiceOrAdapterLoss(closure: LinkClosure) {
        var machine = streaming()
        let attempt = machine.attempt
        let event: LinkMachine.Event = closure == .serviceLost ? .serviceLost : .adapterLost
        #expect(machine.handle(event, at: after(2)) == [.close(attempt, closure)])
        #expect(machine.handle(event, at: after(2)) == [])
    }
}
