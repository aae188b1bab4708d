import Bytes

/// 0x0038, additional split or interval data: right after 0x0037.
///
/// | off | size | field | unit | range, none |
/// |---|---|---|---|---|
/// | 0 | 3 | elapsed time | 0.01 s | |
/// | 3 | 1 | average stroke rate | 1/min | |
/// | 4 | 1 | work heart rate | 1/min | 0 none, 255 too |
/// | 5 | 1 | rest heart rate | 1/min | 0 none, 255 too |
/// | 6 | 2 | average pace | 0.1 s/500 m | |
/// | 8 | 2 | total calories | 1 cal | |
/// | 10 | 2 | average calorie rate | 1 cal/hr | |
/// | 12 | 2 | speed | 0.001 m/s | |
/// | 14 | 2 | power | 1 W | |
/// | 16 | 1 | average drag factor | 1 | |
/// | 17 | 1 | split number | 1 | first is 1 |
/// | 18 | 1 | erg machine type | `ErgMachineType` | absent before rev 1.27 |
///
/// Multiplexed: the same; the document prints 18 bytes and lists 19, so the length decides.
/// Source: Concept2 BLE definition rev 1.30, 0x0038.
package struct AdditionalSplitData: CharacteristicPayload {
    package static let characteristic = CharacteristicID.additionalSplitData
    /// Without the machine type.
    static let length = 18

    /// 0.01 s, of the interval that has begun, not of the finished one.
    package var elapsedCentiseconds: UInt32
    /// Strokes per minute over the split; 0 where nobody rowed.
    package var averageStrokeRatePerMinute: UInt8
    /// Beats per minute in the work; 0 or 255 is none, see `knownWorkHeartRateBeatsPerMinute`.
    package var workHeartRateBeatsPerMinute: UInt8
    /// Beats per minute at the end of the rest; 0 or 255 is none, also where there is no rest.
    package var restHeartRateBeatsPerMinute: UInt8
    /// 0.1 s for 500 m, also on a BikeErg: ten times coarser than the paces of the status.
    package var averagePaceDecisecondsPer500m: UInt16
    /// Calories (kcal) of the split.
    package var totalCalories: UInt16
    /// Calories per hour: 4 * 0.8604 * watts + 300, truncated.
    package var averageCaloriesPerHour: UInt16
    /// 0.001 m/s, at most 65.534 m/s.
    package var speedMillimetersPerSecond: UInt16
    /// Mean power of the split in watts, at most 65,534.
    package var powerWatts: UInt16
    /// As the monitor shows it, 88 to 141 in captures; 0 not measured.
    package var averageDragFactor: UInt8
    /// Counts from 1 and runs over after 255; that of 0x0033 counts from 0.
    package var splitNumber: UInt8
    private var machineCode: WireCode<ErgMachineType>?

    package init(
        elapsedCentiseconds: UInt32 = 0, averageStrokeRatePerMinute: UInt8 = 0,
        workHeartRateBeatsPerMinute: UInt8 = 0, restHeartRateBeatsPerMinute: UInt8 = 0,
        averagePaceDecisecondsPer500m: UInt16 = 0, totalCalories: UInt16 = 0,
        averageCaloriesPerHour: UInt16 = 0, speedMillimetersPerSecond: UInt16 = 0,
        powerWatts: UInt16 = 0, averageDragFactor: UInt8 = 0, splitNumber: UInt8 = 1,
        ergMachineType: ErgMachineType? = .modelD
    ) {
        self.elapsedCentiseconds = elapsedCentiseconds
        self.averageStrokeRatePerMinute = averageStrokeRatePerMinute
        self.workHeartRateBeatsPerMinute = workHeartRateBeatsPerMinute
        self.restHeartRateBeatsPerMinute = restHeartRateBeatsPerMinute
        self.averagePaceDecisecondsPer500m = averagePaceDecisecondsPer500m
        self.totalCalories = totalCalories
        self.averageCaloriesPerHour = averageCaloriesPerHour
        self.speedMillimetersPerSecond = speedMillimetersPerSecond
        self.powerWatts = powerWatts
        self.averageDragFactor = averageDragFactor
        self.splitNumber = splitNumber
        machineCode = ergMachineType.map(WireCode.init)
    }

    /// 18 bytes, 19 with the machine type, by either carrier; fewer throw `.truncated`.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(Self.length)
        elapsedCentiseconds = fields.uint24()
        averageStrokeRatePerMinute = fields.uint8()
        workHeartRateBeatsPerMinute = fields.uint8()
        restHeartRateBeatsPerMinute = fields.uint8()
        averagePaceDecisecondsPer500m = fields.uint16()
        totalCalories = fields.uint16()
        averageCaloriesPerHour = fields.uint16()
        speedMillimetersPerSecond = fields.uint16()
        powerWatts = fields.uint16()
        averageDragFactor = fields.uint8()
        splitNumber = fields.uint8()
        machineCode = reader.remaining > 0 ? WireCode(rawValue: try reader.uint8()) : nil
    }

    package func layout(by carrier: Carrier) -> [WireField] {
        [
            .uint24(elapsedCentiseconds, "elapsed_time_s", decimals: 2),
            .uint8(averageStrokeRatePerMinute, "split_avg_stroke_rate_spm"),
            .uint8(workHeartRateBeatsPerMinute, "split_work_heart_rate_raw"),
            .uint8(restHeartRateBeatsPerMinute, "split_rest_heart_rate_raw"),
            .uint16(averagePaceDecisecondsPer500m, "split_avg_pace_s_per_500m", decimals: 1),
            .uint16(totalCalories, "split_total_calories_kcal"),
            .uint16(averageCaloriesPerHour, "split_avg_calories_per_h"),
            .uint16(speedMillimetersPerSecond, "split_speed_m_per_s", decimals: 3),
            .uint16(powerWatts, "split_power_w"),
            .uint8(averageDragFactor, "split_avg_drag_factor"),
            .uint8(splitNumber, "split_number"),
            .machine(machineCode),
        ]
    }
}

extension AdditionalSplitData {
    /// Nil on firmware before rev 1.27 of the definition (2018).
    package var ergMachineType: ErgMachineType? {
        get { machineCode?.wrappedValue }
        set { machineCode = newValue.map(WireCode.init) }
    }

    /// Nil without a belt.
    package var knownWorkHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(workHeartRateBeatsPerMinute)
    }
    /// Nil without a belt, and without a rest.
    package var knownRestHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(restHeartRateBeatsPerMinute)
    }
    /// Nil where nobody rowed.
    package var knownAveragePaceDecisecondsPer500m: UInt16? {
        Sentinel.pace(averagePaceDecisecondsPer500m)
    }
}
