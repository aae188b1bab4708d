import Bytes

/// The clock of the monitor in CSAFE 0x22 and 0x85, as a 12-hour time.
///
/// Seven bytes: hour, minute, 0 AM or 1 PM, month, day, year (16 bits). An app was seen sending hour 0 for
/// twelve, so both mean twelve. Source: Concept2 CSAFE definition rev 0.25.
package struct MonitorClock: ReplyValue {
    /// 1 to 12 in the document; 0 can occur.
    package var hour12: UInt8
    /// 0 to 59.
    package var minute: UInt8
    /// Whether the time is PM: a byte of 0 is AM, any other is PM.
    package var isAfternoon: Bool
    /// 1 to 12.
    package var month: UInt8
    /// 1 to 31.
    package var day: UInt8
    /// Four digits, 2026.
    package var year: UInt16

    /// 0 to 23 for hours that the document allows.
    package var hour: UInt8 { hour12 % 12 + (isAfternoon ? 12 : 0) }

    /// False for a day that is not in the calendar, and for an impossible hour or minute.
    package var isValid: Bool {
        hour12 <= 12 && minute < 60
            && CalendarDay.exists(year: Int(year), month: Int(month), day: Int(day))
    }
}

extension MonitorClock {
    /// Creates a clock value; `hour` is 0 to 23.
    package init(year: UInt16, month: UInt8, day: UInt8, hour: UInt8, minute: UInt8) {
        precondition(hour < 24, "no such hour: \(hour)")
        self.init(
            hour12: hour % 12 == 0 ? 12 : hour % 12, minute: minute, isAfternoon: hour >= 12,
            month: month, day: day, year: year)
    }

    /// Reads 7 bytes; fewer throw `.truncated`. Only the year depends on `order`.
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        hour12 = try reader.uint8()
        minute = try reader.uint8()
        isAfternoon = try reader.uint8() != 0
        month = try reader.uint8()
        day = try reader.uint8()
        year = try reader.uint16(order)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.append([hour12, minute, isAfternoon ? 1 : 0, month, day])
        writer.uint16(year, order)
    }
}

/// Manufacturer and kind of a heart-rate sensor.
package struct HeartRateSensor: CompositeValue {
    /// Number of the manufacturer; the registry is not documented.
    package var manufacturer: UInt8 = 0
    /// Number of the kind of sensor; values not documented.
    package var deviceType: UInt8 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&manufacturer)
        coder.field(&deviceType)
    }
}

/// CSAFE 0x38. Source: Concept2 CSAFE definition rev 0.25; durations have no documented unit.
package struct GameParameters: CompositeValue {
    /// The game to set up.
    package var game: GameID = .none
    /// Length of the game; unit not documented.
    package var duration: UInt32 = 0
    /// Length of a split of the game; unit not documented.
    package var split: UInt32 = 0
    /// 0.01 s for 500 m, for the target games.
    package var targetPaceCentisecondsPer500m: UInt32 = 0
    /// Watts, for the target games.
    package var targetPowerWatts: UInt32 = 0
    /// Calories per hour, for the target games.
    package var targetCaloriesPerHour: UInt32 = 0
    /// Strokes per minute, for the target games.
    package var targetStrokeRatePerMinute: UInt8 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&game)
        coder.field(&duration)
        coder.field(&split)
        coder.field(&targetPaceCentisecondsPer500m)
        coder.field(&targetPowerWatts)
        coder.field(&targetCaloriesPerHour)
        coder.field(&targetStrokeRatePerMinute)
    }
}

/// CSAFE 0x3E, all in seconds. Source: Concept2 CSAFE definition rev 0.25, which documents only the names
/// of the fields.
package struct RaceControlParameters: CompositeValue {
    package var restToWorkTransitionSeconds: UInt16 = 0
    package var undefinedRestIntervalSeconds: UInt16 = 0
    package var promptSeconds: UInt32 = 0
    package var timeCapSeconds: UInt32 = 0

    mutating func code(with coder: inout some FieldCoder) {
        coder.field(&restToWorkTransitionSeconds)
        coder.field(&undefinedRestIntervalSeconds)
        coder.field(&promptSeconds)
        coder.field(&timeCapSeconds)
    }
}
