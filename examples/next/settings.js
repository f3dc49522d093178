// Read when a request comes: Next.js loads the handlers while it builds, where no secret needs to be.
export const settings = {
  url: process.env.HV_URL,
  secret: process.env.HV_SECRET,
  hostnames: ['shop.example.com'],
  onRefusal: ({ rule, why }) => console.log(`refused by ${rule}: ${why}`),
}
