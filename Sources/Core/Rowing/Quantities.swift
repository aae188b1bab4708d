import Timeline

/// A distance, exact to the millimetre.
package struct Meters: Hashable, Comparable, Sendable {
    /// May be negative in a difference.
    package var millimeters: Int64

    package init(millimeters: Int64) { self.millimeters = millimeters }
    /// The protocol's unit of drive length and stroke distance.
    package init(centimeters: Int64) { self.init(millimeters: centimeters * 10) }
    /// The protocol's unit of most distances.
    package init(decimeters: Int64) { self.init(millimeters: decimeters * 100) }
    /// The protocol's unit of splits, rests and goals.
    package init(_ meters: Int64) { self.init(millimeters: meters * 1000) }

    package static let zero = Meters(millimeters: 0)

    package static func < (left: Meters, right: Meters) -> Bool {
        left.millimeters < right.millimeters
    }

    package static func + (left: Meters, right: Meters) -> Meters {
        Meters(millimeters: left.millimeters + right.millimeters)
    }

    package static func - (left: Meters, right: Meters) -> Meters {
        Meters(millimeters: left.millimeters - right.millimeters)
    }
}

/// The time for 500 m, exact to the millisecond.
package struct Pace: Hashable, Comparable, Sendable {
    /// A smaller value is faster. It refers to 500 m on every machine, even if the monitor shows 1000 m.
    package var millisecondsPer500m: Int64

    package init(millisecondsPer500m: Int64) { self.millisecondsPer500m = millisecondsPer500m }
    /// The unit of 0x0032 and 0x0033.
    package init(centisecondsPer500m: Int64) {
        self.init(millisecondsPer500m: centisecondsPer500m * 10)
    }
    /// The unit of 0x0038, 0x0039 and 0x003C.
    package init(decisecondsPer500m: Int64) {
        self.init(millisecondsPer500m: decisecondsPer500m * 100)
    }

    /// The average over a distance; nil if nothing was rowed.
    package init?(rowing distance: Meters, in time: Duration) {
        guard distance.millimeters > 0, time > .zero else { return nil }
        self.init(
            millisecondsPer500m: time.wholeMilliseconds * 500_000 / distance.millimeters)
    }

    /// A faster pace is less than a slower one.
    package static func < (left: Pace, right: Pace) -> Bool {
        left.millisecondsPer500m < right.millisecondsPer500m
    }
}

/// A force, exact to the millinewton.
package struct Newtons: Hashable, Comparable, Sendable {
    /// 1 lbf is 4448.222 mN.
    package var millinewtons: Int64

    package init(millinewtons: Int64) { self.millinewtons = millinewtons }

    /// From the monitor's unit: 0.1 lbf, and 1 lbf is 4.448222 N.
    package init(deciPoundsForce: Int64) {
        self.init(millinewtons: (deciPoundsForce * 4_448_222 + 5_000) / 10_000)
    }
    /// From the unit of the force curve.
    package init(poundsForce: Int64) { self.init(deciPoundsForce: poundsForce * 10) }

    package static func < (left: Newtons, right: Newtons) -> Bool {
        left.millinewtons < right.millinewtons
    }
}

/// Mechanical work, exact to 0.1 J as in the protocol.
package struct Joules: Hashable, Comparable, Sendable {
    /// 0.1 J, the unit of the protocol.
    package var decijoules: Int64

    package init(decijoules: Int64) { self.decijoules = decijoules }

    package static func < (left: Joules, right: Joules) -> Bool {
        left.decijoules < right.decijoules
    }
}

/// A frequency, exact to 0.1 per second.
package struct Rate: Hashable, Sendable {
    package var tenthsPerSecond: Int

    package init(tenthsPerSecond: Int) { self.tenthsPerSecond = tenthsPerSecond }
    /// The average of `count` over `time`, which must be longer than a millisecond.
    package init(of count: Int64, in time: Duration) {
        self.init(tenthsPerSecond: Int(count * 10_000 / time.wholeMilliseconds))
    }

    package static let zero = Rate(tenthsPerSecond: 0)

    package var perSecond: Double { Double(tenthsPerSecond) / 10 }

    package static func + (left: Rate, right: Rate) -> Rate {
        Rate(tenthsPerSecond: left.tenthsPerSecond + right.tenthsPerSecond)
    }
}

extension Duration {
    /// The protocol's unit of most times.
    package static func centiseconds(_ count: some BinaryInteger) -> Duration {
        .milliseconds(Int64(count) * 10)
    }
}
