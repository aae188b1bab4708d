/// What is wrong with one value, before it is known where it stands.
package struct ConfigurationFault: Error {
    package var reason: String
    package var suggestion: String?

    package init(_ reason: String, suggestion: String? = nil) {
        self.reason = reason
        self.suggestion = suggestion
    }
}
