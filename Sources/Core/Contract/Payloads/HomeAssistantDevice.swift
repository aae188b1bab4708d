import Bytes
import Rowing

/// Home Assistant's discovery message for an erg, in the format of
/// https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload.
package struct HomeAssistantDevice: Sendable {
    private struct Sensor {
        var key: StaticString
        var name: StaticString
        /// The field of `live`.
        var field: StaticString
        var unit: StaticString?
        var deviceClass: StaticString?
        var icon: StaticString?
    }

    private static let sensors = [
        Sensor(key: "power", name: "Power", field: "power_w", unit: "W", deviceClass: "power"),
        Sensor(
            key: "stroke_rate", name: "Stroke rate", field: "stroke_rate_spm", unit: "spm",
            icon: "mdi:rowing"),
        Sensor(
            key: "pace", name: "Pace", field: "pace_s_per_500m", unit: "s/500m",
            icon: "mdi:speedometer"),
        Sensor(
            key: "heart_rate", name: "Heart rate", field: "heart_rate_bpm", unit: "bpm",
            icon: "mdi:heart-pulse"),
        Sensor(
            key: "distance", name: "Distance", field: "distance_m", unit: "m",
            deviceClass: "distance"),
        Sensor(
            key: "elapsed", name: "Time", field: "elapsed_s", unit: "s", deviceClass: "duration"),
        Sensor(
            key: "speed", name: "Speed", field: "speed_m_per_s", unit: "m/s", deviceClass: "speed"),
        Sensor(
            key: "drag_factor", name: "Drag factor", field: "drag_factor", icon: "mdi:weather-windy"
        ),
    ]

    /// In seconds. During a session live messages come at least every two seconds.
    private static let expirySeconds = 10

    private let topics: TopicMap
    private let station: StationID
    private let monitor: MonitorIdentity?
    private let version: String

    /// - Parameters:
    ///   - monitor: the erg's monitor; nil before one was seen.
    ///   - version: version of rowgate.
    package init(
        _ topics: TopicMap, station: StationID, monitor: MonitorIdentity?, version: String
    ) {
        self.topics = topics
        self.station = station
        self.monitor = monitor
        self.version = version
    }

    /// The retained discovery message.
    package func payload() -> [UInt8] {
        JSONWriter.object { json in
            json.object("device", writeDevice)
            json.object("origin") { json in
                json.field("name", "rowgate")
                json.field("sw_version", version)
            }
            // Available if both the gateway and the erg's link are.
            json.field("availability_mode", "all")
            availability([.availability, .stationAvailability(station)], into: &json)
            json.field("state_topic", topics.live(station))
            json.field("qos", 0)
            json.object("components") { json in
                component("state", "State", into: &json, writeState)
                component("battery", "Battery", into: &json, writeBattery)
                component("problem", "Problem", "binary_sensor", into: &json, writeProblem)
                for sensor in Self.sensors {
                    component(sensor.key, sensor.name, into: &json) { write(sensor, into: &$0) }
                }
            }
        }
    }

    /// Identifier of the device in Home Assistant and in its topic.
    private var name: String { topics.homeAssistantName(of: station) }

    private func writeDevice(into json: inout JSONWriter) {
        json.field("identifiers", [name])
        json.field("name", "Erg \(station)")
        json.field("manufacturer", monitor?.manufacturer ?? "Concept2")
        json.field("model", monitor?.model ?? "PM5")
        json.field("serial_number", monitor?.serial)
        json.field("sw_version", monitor?.firmwareRevision)
        json.field("hw_version", monitor?.hardwareRevision)
    }

    private func availability(_ presences: [RetainedTopic], into json: inout JSONWriter) {
        json.list("availability", of: presences) { $0.field("topic", topics.topic(of: $1)) }
    }

    private func component(
        _ key: StaticString, _ title: StaticString, _ platform: String = "sensor",
        into json: inout JSONWriter, _ members: (inout JSONWriter) -> Void
    ) {
        json.object(key) { json in
            json.field("platform", platform)
            json.field("unique_id", "\(name)-\(key)")
            json.field("name", title.description)
            members(&json)
        }
    }

    private func writeState(into json: inout JSONWriter) {
        json.field("icon", "mdi:rowing")
        json.field("device_class", "enum")
        json.field("options", StationReport.states)
        json.field("state_topic", topics.topic(of: .state(station)))
        json.field("value_template", "{{ value_json.state }}")
    }

    private func writeBattery(into json: inout JSONWriter) {
        json.field("device_class", "battery")
        json.field("unit_of_measurement", "%")
        json.field("state_class", "measurement")
        json.field("state_topic", topics.topic(of: .info(station)))
        json.field("value_template", "{{ value_json.battery_pct | default(none) }}")
    }

    /// Shows whether an alert is active. Available also without a link, since the alert may be about it.
    private func writeProblem(into json: inout JSONWriter) {
        json.writeProblem(of: topics.topic(of: .alerts(station)))
        availability([.availability], into: &json)
    }

    private func write(_ sensor: Sensor, into json: inout JSONWriter) {
        json.field("device_class", sensor.deviceClass?.description)
        json.field("icon", sensor.icon?.description)
        json.field("unit_of_measurement", sensor.unit?.description)
        json.field("state_class", "measurement")
        // Unknown values are absent in `live`; Home Assistant needs "None" for them.
        json.field("value_template", "{{ value_json.\(sensor.field) | default(none) }}")
        json.field("expire_after", Self.expirySeconds)
    }
}

/// Home Assistant's discovery message for the gateway itself: a device with one sensor that shows
/// whether an alert of the gateway is active.
package struct HomeAssistantGateway: Sendable {
    private let topics: TopicMap
    private let version: String

    /// - Parameter version: version of rowgate.
    package init(_ topics: TopicMap, version: String) {
        self.topics = topics
        self.version = version
    }

    /// The retained discovery message.
    package func payload() -> [UInt8] {
        let name = topics.homeAssistantName(of: nil)
        return JSONWriter.object { json in
            json.object("device") { json in
                json.field("identifiers", [name])
                json.field("name", "Gateway \(topics.gateway)")
                json.field("manufacturer", "rowgate")
                json.field("model", "Gateway")
                json.field("sw_version", version)
            }
            json.object("origin") { json in
                json.field("name", "rowgate")
                json.field("sw_version", version)
            }
            json.list("availability", of: [RetainedTopic.availability]) {
                $0.field("topic", topics.topic(of: $1))
            }
            json.object("components") { json in
                json.object("problem") { json in
                    json.field("platform", "binary_sensor")
                    json.field("unique_id", "\(name)-problem")
                    json.field("name", "Problem")
                    json.writeProblem(of: topics.topic(of: .alerts(nil)))
                }
            }
        }
    }
}

extension JSONWriter {
    /// Writes the fields of a sensor that shows whether an alert is active.
    mutating func writeProblem(of topic: String) {
        field("device_class", "problem")
        field("state_topic", topic)
        field("value_template", "{{ 'ON' if value_json.firing > 0 else 'OFF' }}")
        field("json_attributes_topic", topic)
    }
}
