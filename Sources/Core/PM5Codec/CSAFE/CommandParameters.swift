import Bytes

/// The clock of the monitor as CSAFE 0x22 and 0x85 carry it: twelve hours and a half of the day.
///
/// Seven bytes: hour, minute, 0 AM or 1 PM, month, day, year (16 bits). An app was seen sending
/// hour 0 for twelve, so both read as twelve. Source: Concept2 CSAFE definition rev 0.25.
package struct MonitorClock: Hashable, Sendable, ReplyValue {
    /// 1 to 12 in the document; 0 occurs.
    package var hour12: UInt8
    /// 0 to 59.
    package var minute: UInt8
    /// Whether `hour12` counts from noon: a byte of 0 is AM, any other PM.
    package var isAfternoon: Bool
    /// 1 to 12.
    package var month: UInt8
    /// 1 to 31.
    package var day: UInt8
    /// In full, 2026.
    package var year: UInt16

    package init(
        hour12: UInt8, minute: UInt8, isAfternoon: Bool, month: UInt8, day: UInt8, year: UInt16
    ) {
        self.hour12 = hour12
        self.minute = minute
        self.isAfternoon = isAfternoon
        self.month = month
        self.day = day
        self.year = year
    }

    /// `hour` 0 to 23.
    package init(year: UInt16, month: UInt8, day: UInt8, hour: UInt8, minute: UInt8) {
        precondition(hour < 24, "no such hour: \(hour)")
        self.init(
            hour12: hour % 12 == 0 ? 12 : hour % 12, minute: minute, isAfternoon: hour >= 12,
            month: month, day: day, year: year)
    }

    /// 0 to 23 for hours the document allows.
    package var hour: UInt8 { hour12 % 12 + (isAfternoon ? 12 : 0) }

    /// 7 bytes; fewer throw `.truncated`. The year alone follows `order`.
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

/// Who made a heart rate sensor, and of which kind it is.
package struct HeartRateSensor: Hashable, Sendable {
    /// Number of the maker; of which registry is not documented.
    package var manufacturer: UInt8
    /// Number of the kind of sensor; values not documented.
    package var deviceType: UInt8

    package init(manufacturer: UInt8, deviceType: UInt8) {
        self.manufacturer = manufacturer
        self.deviceType = deviceType
    }
}

extension ByteReader {
    mutating func sensor() throws(DecodeError) -> HeartRateSensor {
        HeartRateSensor(manufacturer: try uint8(), deviceType: try uint8())
    }
}

extension ByteWriter {
    mutating func sensor(_ sensor: HeartRateSensor) {
        append([sensor.manufacturer, sensor.deviceType])
    }
}

/// CSAFE 0x38. Source: Concept2 CSAFE definition rev 0.25; durations have no documented unit.
package struct GameParameters: Hashable, Sendable {
    /// The game to set up.
    package var game: GameID
    /// Length of the game; unit not documented.
    package var duration: UInt32
    /// Length of a split of it; unit not documented.
    package var split: UInt32
    /// 0.01 s for 500 m, for the target games.
    package var targetPaceCentisecondsPer500m: UInt32
    /// Watts, for the target games.
    package var targetPowerWatts: UInt32
    /// Calories per hour, for the target games.
    package var targetCaloriesPerHour: UInt32
    /// Strokes per minute, for the target games.
    package var targetStrokeRatePerMinute: UInt8

    package init(
        game: GameID, duration: UInt32, split: UInt32, targetPaceCentisecondsPer500m: UInt32,
        targetPowerWatts: UInt32, targetCaloriesPerHour: UInt32, targetStrokeRatePerMinute: UInt8
    ) {
        self.game = game
        self.duration = duration
        self.split = split
        self.targetPaceCentisecondsPer500m = targetPaceCentisecondsPer500m
        self.targetPowerWatts = targetPowerWatts
        self.targetCaloriesPerHour = targetCaloriesPerHour
        self.targetStrokeRatePerMinute = targetStrokeRatePerMinute
    }

    init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        game = try reader.code()
        duration = try reader.uint32(order)
        split = try reader.uint32(order)
        targetPaceCentisecondsPer500m = try reader.uint32(order)
        targetPowerWatts = try reader.uint32(order)
        targetCaloriesPerHour = try reader.uint32(order)
        targetStrokeRatePerMinute = try reader.uint8()
    }

    func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.code(game)
        writer.uint32(duration, order)
        writer.uint32(split, order)
        writer.uint32(targetPaceCentisecondsPer500m, order)
        writer.uint32(targetPowerWatts, order)
        writer.uint32(targetCaloriesPerHour, order)
        writer.uint8(targetStrokeRatePerMinute)
    }
}

/// CSAFE 0x3E, all in seconds. Source: Concept2 CSAFE definition rev 0.25, which says no more of the
/// fields than their names.
package struct RaceControlParameters: Hashable, Sendable {
    package var restToWorkTransitionSeconds: UInt16
    package var undefinedRestIntervalSeconds: UInt16
    package var promptSeconds: UInt32
    package var timeCapSeconds: UInt32

    package init(
        restToWorkTransitionSeconds: UInt16, undefinedRestIntervalSeconds: UInt16,
        promptSeconds: UInt32, timeCapSeconds: UInt32
    ) {
        self.restToWorkTransitionSeconds = restToWorkTransitionSeconds
        self.undefinedRestIntervalSeconds = undefinedRestIntervalSeconds
        self.promptSeconds = promptSeconds
        self.timeCapSeconds = timeCapSeconds
    }

    init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        restToWorkTransitionSeconds = try reader.uint16(order)
        undefinedRestIntervalSeconds = try reader.uint16(order)
        promptSeconds = try reader.uint32(order)
        timeCapSeconds = try reader.uint32(order)
    }

    func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint16(restToWorkTransitionSeconds, order)
        writer.uint16(undefinedRestIntervalSeconds, order)
        writer.uint32(promptSeconds, order)
        writer.uint32(timeCapSeconds, order)
    }
}
