import Foundation
import Rowing
import TestSupport
import Testing

@testable import Bytes
@testable import Contract

/// Compares discovery messages with the keys in Home Assistant's documentation.
@Suite struct HomeAssistantTests {
    /// https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload
    private static let deviceKeys: Set = [
        "configuration_url", "connections", "hw_version", "identifiers", "manufacturer", "model",
        "model_id", "name", "serial_number", "suggested_area", "sw_version", "via_device",
    ]
    private static let originKeys: Set = ["name", "sw_version", "support_url"]
    /// Keys that a device may define once for all its components.
    private static let sharedKeys: Set = [
        "device", "origin", "components", "availability", "availability_mode",
        "availability_topic", "availability_template", "payload_available",
        "payload_not_available", "state_topic", "command_topic", "qos", "encoding",
    ]
    /// https://www.home-assistant.io/integrations/sensor.mqtt/#configuration-variables
    private static let sensorKeys: Set = [
        "platform", "availability", "device_class", "enabled_by_default", "entity_category",
        "entity_picture", "expire_after", "force_update", "icon", "json_attributes_template",
        "json_attributes_topic", "name", "options", "qos", "state_class", "state_topic",
        "suggested_display_precision", "unique_id", "unit_of_measurement", "value_template",
    ]
    /// https://www.home-assistant.io/integrations/binary_sensor.mqtt/#configuration-variables
    private static let binarySensorKeys: Set = [
        "platform", "availability", "availability_mode", "device_class", "enabled_by_default",
        "entity_category", "expire_after", "force_update", "icon", "json_attributes_template",
        "json_attributes_topic", "name", "off_delay", "payload_off", "payload_on", "qos",
        "state_topic", "unique_id", "value_template",
    ]
    /// https://www.home-assistant.io/integrations/sensor/#device-class: the units that rowgate uses.
    private static let units = [
        "power": "W", "distance": "m", "duration": "s", "speed": "m/s",
        "battery": "%",
    ]

    private static let topic = "homeassistant/device/rowgate-boathouse-seat-3/config"

    private static func device(_ monitor: MonitorIdentity? = Sample.monitor) throws
        -> [String: Any]
    {
        let bytes = HomeAssistantDevice(
            TopicMap(gateway: Sample.gateway, below: .standard), station: Sample.erg, monitor: monitor,
            version: "1.2.3"
        ).payload()
        let object = try JSONSerialization.jsonObject(with: Data(bytes))
        return try #require(object as? [String: Any])
    }

    @Test func usesOnlyDocumentedKeys() throws {
        let payload = try Self.device()
        #expect(Self.sharedKeys.isSuperset(of: payload.keys))
        let device = try #require(payload["device"] as? [String: Any])
        #expect(Self.deviceKeys.isSuperset(of: device.keys))
        #expect(device["identifiers"] as? [String] == ["rowgate-boathouse-seat-3"])
        #expect(device["serial_number"] as? String == "430012345")
        let origin = try #require(payload["origin"] as? [String: Any])
        #expect(Self.originKeys.isSuperset(of: origin.keys) && origin["name"] is String)
        let components = try #require(payload["components"] as? [String: [String: Any]])
        #expect(components.count == 11)
        for (key, component) in components {
            #expect(key.wholeMatch(of: /[a-zA-Z0-9_-]+/) != nil)
            let keys = key == "problem" ? Self.binarySensorKeys : Self.sensorKeys
            #expect(keys.isSuperset(of: component.keys), "\(key)")
            let platform = key == "problem" ? "binary_sensor" : "sensor"
            #expect(component["platform"] as? String == platform)
            #expect(component["unique_id"] as? String == "rowgate-boathouse-seat-3-\(key)")
            guard let kind = component["device_class"] as? String,
                !["enum", "problem"].contains(kind)
            else { continue }
            #expect(component["unit_of_measurement"] as? String == Self.units[kind], "\(key)")
        }
        let unseen = try Self.device(nil)
        #expect(unseen["device"] is [String: Any], "device before a monitor was seen")
    }

    @Test func gatewayIsADevice() throws {
        // The identifier of an erg can never equal that of the gateway.
        let map = TopicMap(gateway: Sample.gateway, below: .standard)
        let bytes = HomeAssistantGateway(map, version: "1.2.3").payload()
        let object = try JSONSerialization.jsonObject(with: Data(bytes))
        let payload = try #require(object as? [String: Any])
        #expect(Self.sharedKeys.isSuperset(of: payload.keys))
        let device = try #require(payload["device"] as? [String: Any])
        #expect(Self.deviceKeys.isSuperset(of: device.keys))
        #expect(device["identifiers"] as? [String] == ["rowgate_boathouse"])
        let components = try #require(payload["components"] as? [String: [String: Any]])
        let problem = try #require(components["problem"])
        #expect(components.count == 1 && Self.binarySensorKeys.isSuperset(of: problem.keys))
        #expect(problem["state_topic"] as? String == "rowgate/v1/boathouse/alerts")
        #expect(problem["unique_id"] as? String == "rowgate_boathouse-problem")
        #expect(
            payload["availability"] as? [[String: String]]
                == [["topic": map.topic(of: .availability)]])
        #expect(
            map.topic(of: .homeAssistant(nil)) == "homeassistant/device/rowgate_boathouse/config")
    }

    @Test func usesOnlyPublishedTopicsAndFields() throws {
        let map = TopicMap(gateway: Sample.gateway, below: .standard)
        let payload = try Self.device()
        #expect(payload["state_topic"] as? String == map.live(Sample.erg))
        let availability = try #require(payload["availability"] as? [[String: String]])
        #expect(
            availability == [
                ["topic": map.topic(of: .availability)],
                ["topic": map.topic(of: .stationAvailability(Sample.erg))],
            ])
        #expect(payload["availability_mode"] as? String == "all")
        var json = JSONWriter()
        let live = Data(Sample.livePayload(into: &json).utf8)
        let fields = try JSONSerialization.jsonObject(with: live) as? [String: Any]
        var components = try #require(payload["components"] as? [String: [String: Any]])
        let removed = components.removeValue(forKey: "state")
        let state = try #require(removed)
        #expect(state["state_topic"] as? String == map.topic(of: .state(Sample.erg)))
        #expect(
            state["options"] as? [String] == [
                "idle", "ready", "rowing", "paused", "resting", "finished", "released", "parked",
                "asleep",
            ])
        let removedBattery = components.removeValue(forKey: "battery")
        let battery = try #require(removedBattery)
        #expect(battery["state_topic"] as? String == map.topic(of: .info(Sample.erg)))
        #expect(
            battery["value_template"] as? String
                == "{{ value_json.battery_pct | default(none) }}")
        let found = components.removeValue(forKey: "problem")
        let problem = try #require(found)
        let alerts = map.topic(of: .alerts(Sample.erg))
        #expect(problem["state_topic"] as? String == alerts)
        #expect(problem["json_attributes_topic"] as? String == alerts)
        #expect((problem["value_template"] as? String)?.contains("value_json.firing") == true)
        #expect(
            problem["availability"] as? [[String: String]]
                == [["topic": map.topic(of: .availability)]], "the sensor must work without a link")
        for component in components.values {
            let template = component["value_template"] as? String ?? ""
            let field = template.firstMatch(of: /value_json\.(\w+) \| default\(none\)/)?.1
            #expect(fields?[String(field ?? "")] is NSNumber, "\(template)")
        }
    }
}
