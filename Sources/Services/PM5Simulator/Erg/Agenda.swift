/// What will happen when, in order; what is due at the same time happens in the order it was added.
struct Agenda<Time: Comparable, Occasion> {
    private var entries: [(time: Time, occasion: Occasion)] = []

    var next: Time? { entries.first?.time }

    mutating func add(_ occasion: Occasion, at time: Time) {
        // Few entries at any time, so a linear search is the fast one.
        let index = entries.firstIndex { $0.time > time } ?? entries.endIndex
        entries.insert((time, occasion), at: index)
    }

    mutating func popFirst(upTo time: Time) -> (time: Time, occasion: Occasion)? {
        guard let first = entries.first, first.time <= time else { return nil }
        return entries.removeFirst()
    }

    mutating func remove(where unwanted: (Occasion) -> Bool) {
        entries.removeAll { unwanted($0.occasion) }
    }
}

extension Agenda: Sendable where Time: Sendable, Occasion: Sendable {}

extension Agenda where Occasion: Equatable {
    func contains(_ occasion: Occasion) -> Bool { entries.contains { $0.occasion == occasion } }
}
