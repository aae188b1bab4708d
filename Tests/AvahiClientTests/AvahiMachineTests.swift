import TestSupport
import Testing

@testable import AvahiClient

struct AvahiMachineTests {
    private static let wall = Announcement(name: "Wall", services: [.init("_http._tcp", port: 8080)])
    private static let step = AvahiMachine.Action.setTimer(AvahiMachine.Limit.step)

    private func announcing(_ name: String) -> Announcement {
        Announcement(name: name, services: Self.wall.services)
    }

    /// A machine with avahi-daemon, which has committed the first group.
    private func registered() -> AvahiMachine {
        var machine = AvahiMachine()
        _ = machine.handle(.announce(Self.wall))
        _ = machine.handle(.daemonAppeared)
        _ = machine.handle(.server(state: 2, hostName: "boathouse.local"))
        _ = machine.handle(.groupCreated("/g1", attempt: machine.attempt))
        return machine
    }

    private func established() -> AvahiMachine {
        var machine = registered()
        _ = machine.handle(.groupChanged("/g1", state: 2))
        return machine
    }

    @Test func registersWhenTheServerRuns() {
        var machine = AvahiMachine()
        #expect(machine.handle(.announce(Self.wall)) == [.setTimer(nil)])
        #expect(machine.status == .starting)
        #expect(machine.handle(.daemonAppeared) == [Self.step, .requestServer])
        #expect(machine.handle(.server(state: 1, hostName: "boathouse.local")) == [Self.step])
        #expect(machine.handle(.serverChanged(state: 2)) == [Self.step, .requestServer])
        #expect(machine.handle(.server(state: 2, hostName: "boathouse.local")) == [Self.step, .createGroup])
        #expect(
            machine.handle(.groupCreated("/g1", attempt: machine.attempt))
                == [Self.step, .register(group: "/g1", Self.wall)])
        #expect(machine.handle(.groupChanged("/g1", state: 1)) == [])
        #expect(machine.handle(.groupChanged("/g2", state: 2)) == [])
        #expect(machine.handle(.groupChanged("/g1", state: 2)) == [.setTimer(nil)])
        #expect(machine.status == .announced(as: "Wall", at: "boathouse.local"))
        #expect(machine.handle(.timerFired) == [])
    }

    @Test func announcesAgainAfterAvahiRestarted() {
        var machine = established()
        #expect(machine.handle(.daemonGone(cause: "gone")) == [.setTimer(nil)])
        #expect(machine.status == .absent(cause: "gone"))
        #expect(machine.handle(.timerFired) == [])
        #expect(machine.handle(.serverChanged(state: 2)) == [])
        #expect(machine.handle(.daemonAppeared) == [Self.step, .requestServer])
        // A restart whose first half was not noticed.
        machine = established()
        #expect(machine.handle(.daemonAppeared) == [Self.step, .requestServer])
    }

    @Test func usesAnotherNameAfterACollision() {
        var machine = registered()
        #expect(
            machine.handle(.groupChanged("/g1", state: 3))
                == [.free(group: "/g1"), Self.step, .requestAlternative(to: "Wall")])
        #expect(machine.handle(.groupChanged("/g1", state: 2)) == [])
        #expect(machine.handle(.alternative("Wall #2")) == [Self.step, .requestServer])
        _ = machine.handle(.server(state: 2, hostName: "boathouse.local"))
        #expect(
            machine.handle(.groupCreated("/g2", attempt: machine.attempt))
                == [Self.step, .register(group: "/g2", announcing("Wall #2"))])
        // Another program of this machine has that name.
        #expect(
            machine.handle(.nameCollided)
                == [.free(group: "/g2"), Self.step, .requestAlternative(to: "Wall #2")])
        #expect(machine.handle(.nameCollided) == [])
        // An established name can collide later, when networks are joined.
        machine = established()
        #expect(machine.handle(.groupChanged("/g1", state: 3)).first == .free(group: "/g1"))
    }

    @Test func pausesIfEveryNameIsInUse() {
        var machine = registered()
        for number in 1...AvahiMachine.Limit.renames {
            #expect(machine.handle(.nameCollided).count == 3)
            _ = machine.handle(.alternative("Wall #\(number + 1)"))
            _ = machine.handle(.server(state: 2, hostName: "boathouse.local"))
            _ = machine.handle(.groupCreated("/g", attempt: machine.attempt))
        }
        #expect(
            machine.handle(.nameCollided)
                == [.free(group: "/g"), .setTimer(AvahiMachine.Limit.retries.lowerBound)])
        #expect(
            machine.status == .failed(cause: "Wall and 20 other names are in use"))
        _ = machine.handle(.timerFired)
        _ = machine.handle(.server(state: 2, hostName: "boathouse.local"))
        #expect(
            machine.handle(.groupCreated("/g", attempt: machine.attempt)).last
                == .register(group: "/g", Self.wall))
    }

    @Test(arguments: ["", "Wall"])
    func pausesWithoutAnotherName(answer: String) {
        var machine = registered()
        _ = machine.handle(.nameCollided)
        #expect(
            machine.handle(.alternative(answer)) == [.setTimer(AvahiMachine.Limit.retries.lowerBound)])
    }

    @Test func retriesWithGrowingDelays() {
        var machine = AvahiMachine()
        _ = machine.handle(.announce(Self.wall))
        _ = machine.handle(.daemonAppeared)
        var delays: [Duration?] = []
        for _ in 0..<10 {
            for case .setTimer(let delay) in machine.handle(.failed(cause: "refused")) {
                delays.append(delay)
            }
            #expect(machine.handle(.failed(cause: "late")) == [])
            #expect(machine.status == .failed(cause: "refused"))
            #expect(machine.handle(.timerFired) == [Self.step, .requestServer])
        }
        #expect(delays == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { Duration.seconds($0) })
        _ = machine.handle(.daemonAppeared)
        #expect(machine.handle(.failed(cause: "refused")) == [.setTimer(.seconds(2))])
    }

    /// In each phase, avahi-daemon stops answering.
    @Test func retriesIfAvahiDoesNotAnswer() {
        let events: [AvahiMachine.Event] = [
            .server(state: 2, hostName: "boathouse.local"), .groupCreated("/g1", attempt: 2), .nameCollided,
        ]
        for count in 0...events.count {
            var machine = AvahiMachine()
            _ = machine.handle(.announce(Self.wall))
            _ = machine.handle(.daemonAppeared)
            for event in events.prefix(count) { #expect(machine.handle(event) != []) }
            let actions = machine.handle(.timerFired)
            #expect(actions.last == .setTimer(AvahiMachine.Limit.retries.lowerBound))
            #expect(actions.contains(.free(group: "/g1")) == (count == 2))
            #expect(machine.status == .failed(cause: "avahi-daemon does not answer"))
        }
    }

    @Test func freesTheGroupOfALateAnswer() {
        var machine = AvahiMachine()
        _ = machine.handle(.announce(Self.wall))
        _ = machine.handle(.daemonAppeared)
        _ = machine.handle(.server(state: 2, hostName: "boathouse.local"))
        let attempt = machine.attempt
        _ = machine.handle(.timerFired)
        #expect(machine.handle(.groupCreated("/g1", attempt: attempt)) == [.free(group: "/g1")])
    }

    @Test func announcesAgainUnderANewHostName() {
        var machine = established()
        #expect(machine.handle(.serverChanged(state: 3)) == [.free(group: "/g1"), Self.step])
        #expect(machine.handle(.serverChanged(state: 1)) == [Self.step])
        #expect(machine.handle(.serverChanged(state: 2)) == [Self.step, .requestServer])
        _ = machine.handle(.server(state: 2, hostName: "boathouse-2.local"))
        _ = machine.handle(.groupCreated("/g2", attempt: machine.attempt))
        _ = machine.handle(.groupChanged("/g2", state: 2))
        #expect(machine.status == .announced(as: "Wall", at: "boathouse-2.local"))
    }

    @Test func announcesNothingUnderAHostNameThatIsNotAccepted() {
        var machine = AvahiMachine(acceptedHostNames: ["boathouse.local"])
        _ = machine.handle(.announce(Self.wall))
        _ = machine.handle(.daemonAppeared)
        #expect(machine.handle(.server(state: 2, hostName: "boathouse-2.local")) == [.setTimer(nil)])
        #expect(machine.status == .rejectedHostName("boathouse-2.local"))
        _ = machine.handle(.serverChanged(state: 2))
        #expect(machine.handle(.server(state: 2, hostName: "Boathouse.local")).last == .createGroup)
    }

    @Test func mayHaveNothingToAnnounce() {
        var machine = AvahiMachine()
        #expect(machine.handle(.announce(nil)) == [.setTimer(nil)])
        #expect(machine.status == .off)
        #expect(machine.handle(.daemonAppeared) == [.setTimer(nil)])
        #expect(machine.handle(.daemonGone(cause: "gone")) == [.setTimer(nil)])
        #expect(machine.status == .off)
    }

    @Test func followsTheAnnouncement() {
        var machine = established()
        #expect(machine.handle(.announce(Self.wall)) == [])
        #expect(machine.handle(.announce(nil)) == [.free(group: "/g1"), .setTimer(nil)])
        #expect(machine.status == .off)
        #expect(machine.handle(.serverChanged(state: 2)) == [])
        #expect(machine.handle(.failed(cause: "late")) == [])
        #expect(machine.handle(.announce(announcing("Other"))) == [Self.step, .requestServer])
        _ = machine.handle(.announce(nil))
        _ = machine.handle(.daemonGone(cause: "gone"))
        #expect(machine.status == .off)
        _ = machine.handle(.announce(Self.wall))
        #expect(machine.status == .absent(cause: "gone"))
    }

    /// Any events in any order: there is at most one group, and the daemon's end leads back to the start.
    @Test(arguments: 1...200)
    func freesEveryGroupWhateverHappens(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var machine = AvahiMachine(acceptedHostNames: ["boathouse.local"])
        var groups: Set<String> = []
        var number = 0
        for _ in 0..<300 {
            number += 1
            let group = groups.randomElement(using: &generator) ?? "/none"
            let events: [AvahiMachine.Event] = [
                .daemonAppeared, .daemonGone(cause: "gone"), .announce(Self.wall), .announce(nil),
                .announce(announcing("Other")),
                .serverChanged(state: Int.random(in: -1...5, using: &generator)),
                .server(state: 2, hostName: "boathouse.local"),
                .server(state: 2, hostName: "boathouse.local"),
                .server(state: 9, hostName: ""), .groupCreated("/g\(number)", attempt: machine.attempt),
                .groupCreated("/g\(number)", attempt: machine.attempt),
                .groupCreated("/g\(number)", attempt: machine.attempt - 1),
                .groupChanged(group, state: Int.random(in: -1...5, using: &generator)),
                .groupChanged("/unknown", state: 2), .nameCollided, .alternative("Wall #\(number)"),
                .alternative(""), .failed(cause: "refused"), .timerFired,
            ]
            let event = events.randomElement(using: &generator) ?? .timerFired
            switch event {
            case .groupCreated(let path, _): groups.insert(path)
            case .daemonAppeared, .daemonGone: groups = []
            default: break
            }
            for case .free(let path) in machine.handle(event) {
                #expect(groups.remove(path) != nil, "freed \(path), which does not exist")
            }
            #expect(groups.count <= 1)
            if case .announced = machine.status {} else { continue }
            #expect(groups.count == 1, "announced without a group, after \(event)")
        }
    }
}
