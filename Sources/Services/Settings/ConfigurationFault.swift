/// A problem with one value, without its place.
package struct ConfigurationFault: Error {
    package var reason: String
    package var suggestion: String?

    package init(_ reason: String, suggestion: String? = nil) {
        self.reason = reason
        self.suggestion = suggestion
    }
}
