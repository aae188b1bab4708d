/// Future events in order of time; simultaneous events keep the order in which they were added.
struct EventSchedule<Time: Comparable, Event> {
    private var entries: [(time: Time, event: Event)] = []

    var next: Time? { entries.first?.time }

    mutating func add(_ event: Event, at time: Time) {
        // There are few entries at any time, so a linear search is fastest.
        let index = entries.firstIndex { $0.time > time } ?? entries.endIndex
        entries.insert((time, event), at: index)
    }

    mutating func popFirst(upTo time: Time) -> (time: Time, event: Event)? {
        guard let first = entries.first, first.time <= time else { return nil }
        return entries.removeFirst()
    }

    mutating func remove(where unwanted: (Event) -> Bool) {
        entries.removeAll { unwanted($0.event) }
    }
}

extension EventSchedule: Sendable where Time: Sendable, Event: Sendable {}

extension EventSchedule where Event: Equatable {
    func contains(_ event: Event) -> Bool { entries.contains { $0.event == event } }
}
