import Bytes
import Rowing
import Timeline

/// Writes quantities with as many decimal places as the monitor's resolution. Finer values are rounded,
/// half away from zero.
extension JSONWriter {
    /// Two places: the monitor sends hundredths of a second.
    package mutating func seconds(_ name: StaticString, _ duration: Duration?) {
        field(name, duration.map { Self.rounded($0.wholeMilliseconds, to: 10) }, places: 2)
    }

    /// Whole milliseconds, for fields whose name ends in `_ms`.
    package mutating func milliseconds(_ name: StaticString, _ duration: Duration?) {
        field(name, duration?.wholeMilliseconds)
    }

    /// One place: the monitor's resolution of most distances. Drive length and stroke distance have
    /// hundredths.
    package mutating func meters(_ name: StaticString, _ distance: Meters?, places: Int = 1) {
        let divisor: Int64 = places == 2 ? 10 : 100
        field(name, distance.map { Self.rounded($0.millimeters, to: divisor) }, places: places)
    }

    /// Two places: the finest pace of the monitor.
    package mutating func pace(_ name: StaticString, _ pace: Pace?) {
        field(name, pace.map { Self.rounded($0.millisecondsPer500m, to: 10) }, places: 2)
    }

    /// One place: the monitor's step of 0.1 lbf is 0.44 N.
    package mutating func newtons(_ name: StaticString, _ force: Newtons?) {
        field(name, force.map(Self.decinewtons), places: 1)
    }

    /// The force in 0.1 N, half rounded away from zero.
    package static func decinewtons(_ force: Newtons) -> Int64 {
        rounded(force.millinewtons, to: 100)
    }

    /// `value / divisor`, half rounded away from zero.
    private static func rounded(_ value: Int64, to divisor: Int64) -> Int64 {
        let half = value < 0 ? -divisor / 2 : divisor / 2
        return (value + half) / divisor
    }
}
